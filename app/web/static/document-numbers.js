// How scores are said: edit rates in percent, others with two decimals.
export const spoken = (value, label) => (label === "hter" ? `${Math.round(value * 100)} %` : value.toFixed(2));
