// Compiled with the types that openapi-typescript generated: two operations, by their ids.
import type { operations } from "./schema";

type ScoreBody = operations["scoreOutputs"]["requestBody"]["content"]["application/json"];
type Scored = operations["scoreOutputs"]["responses"][200]["content"]["application/json"];
type Job = operations["getJob"]["responses"][200]["content"]["application/json"];
type Refused = operations["getJob"]["responses"][404]["content"]["application/problem+json"];

export async function score(address: string, output: string, reference: string): Promise<Scored> {
  const body: ScoreBody = { systems: { mine: [output] }, references: { theirs: [reference] }, metrics: ["ter"] };
  const answer = await fetch(`${address}/v1/score`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Scored;
}

export async function stateOf(address: string, path: operations["getJob"]["parameters"]["path"]): Promise<Job["state"]> {
  const answer = await fetch(`${address}/v1/jobs/${path.id}`);
  if (!answer.ok) throw new Error(((await answer.json()) as Refused).detail);
  return ((await answer.json()) as Job).state;
}

// Were the types loose, these lines would compile, and the compiler would complain that nothing is wrong with them.
// @ts-expect-error a body has systems
export const empty: ScoreBody = { references: { theirs: [] } };
// @ts-expect-error a job has no such state
export const state: Job["state"] = "asleep";
