// Numbers as people type them.

// 0.8, 0,8 or 80 % as 0.8; null for what is no number, or could be two.
export function numberOf(text) {
  const plain = text.trim().replace(/\s?%$/, ""), percent = text.trim().endsWith("%");
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)$/.test(plain)) return null;
  return Number(plain.replace(",", ".")) / (percent ? 100 : 1);
}
