import { type Load, medianRound, type Round, round } from "./measure.ts"

export interface Rounds {
  readonly rounds: number
  readonly warmUpSeconds: number
  /** No round begins after these; one of each server is measured whatever they are. */
  readonly mostSeconds?: number
}

/** Rounds of every server in turn, so that what disturbs the machine disturbs all alike; the first warms up. */
export const interleaved = async (
  loads: Readonly<Record<string, Load>>,
  { rounds, warmUpSeconds, mostSeconds = Number.POSITIVE_INFINITY }: Rounds
): Promise<Readonly<Record<string, Round>>> => {
  const measured: Record<string, Array<Round>> = {}
  const started = performance.now()
  for (let index = 0; index <= rounds; index++) {
    if (index > 1 && performance.now() - started > mostSeconds * 1000) break
    for (const [name, each] of Object.entries(loads)) {
      const result = await round(index === 0 ? { ...each, seconds: warmUpSeconds } : each)
      if (index > 0) measured[name] = [...(measured[name] ?? []), result]
    }
  }
  return Object.fromEntries(Object.entries(measured).map(([name, each]) => [name, medianRound(each)]))
}

export const print = (title: string, results: Readonly<Record<string, Round>>) => {
  console.log(`\n${title}`)
  for (const [name, each] of Object.entries(results)) {
    const rate = each.perSecond.toFixed(0).padStart(7)
    const processor = each.processor.toFixed(0).padStart(5)
    console.log(
      `  ${name.padEnd(26)} ${rate} requests/s   ${processor} µs of processor each   p50 ${each.p50} ms   p99 ${each.p99} ms   longest hold ${each.hold.toFixed(0)} ms   failures ${each.failures}`
    )
  }
}

/** Of the rates, and what the processor time alone would make of it: on a busy machine the more honest number. */
export const ratio = (results: Readonly<Record<string, Round>>, one: string, other: string): string => {
  const [mine, its] = [results[one], results[other]]
  if (mine === undefined || its === undefined) return "?"
  return `${(mine.perSecond / its.perSecond).toFixed(2)} (by processor ${(its.processor / mine.processor).toFixed(2)})`
}
