import { inTurn, ratios, stillRises } from "./figures.ts"
import { allocation, type Load, medianRound, type Round, round } from "./measure.ts"

/** Medians of the rounds of one server. */
export interface Measured extends Round {
  /** Bytes of objects the server made for a request. */
  readonly allocated: number
  /** Whether its requests still became cheaper from round to round. */
  readonly rises: boolean
}

export type Results = Readonly<Record<string, Measured>>

/** It is a count and no time, so a second of it says as much as more. */
export const ALLOCATION_SECONDS = 1

/**
 * Rounds of every server in turn, so that what disturbs the machine disturbs all alike. Another one begins each time: who
 * comes after an expensive neighbour always would have its share of what that leaves behind.
 */
export const interleaved = async (
  loads: Readonly<Record<string, Load>>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
): Promise<Results> => {
  const measured: Record<string, Array<Round>> = {}
  for (let index = 0; index < rounds; index++) {
    for (const [name, load] of inTurn(Object.entries(loads), index)) {
      const result = await round(load, seconds)
      measured[name] = [...(measured[name] ?? []), result]
    }
  }
  const results: Record<string, Measured> = {}
  for (const [name, load] of Object.entries(loads)) {
    const each = measured[name] ?? []
    const middle = medianRound(each)
    const { allocated, failures } = await allocation(load, ALLOCATION_SECONDS)
    const rises = stillRises(each.map(({ processor }) => 1 / processor))
    results[name] = { ...middle, allocated, failures: middle.failures + failures, rises }
  }
  return results
}

const right = (value: number, width: number, digits = 0) => value.toFixed(digits).padStart(width)

export const print = (results: Results) => {
  for (const [name, each] of Object.entries(results)) {
    const cost = `${right(each.processor, 6)} µs of processor${right(each.allocated / 1024, 7, 1)} KB allocated`
    const times = `p50 ${right(each.p50, 3)} ms   p99 ${right(each.p99, 4)} ms   longest hold ${right(each.hold, 3)} ms`
    console.log(
      `  ${name.padEnd(24)}${cost}${right(each.perSecond, 7)} requests/s   ${times}   failures ${each.failures}${each.rises ? "   still becoming cheaper" : ""}`
    )
  }
}

/** How one stands to another: what is held against an aim is the processor time, the rate stands beside it. */
export const ratioOf = (results: Results, one: string, other: string, aim?: number): string => {
  const [mine, its] = [results[one], results[other]]
  if (mine === undefined || its === undefined) return "?"
  const { byProcessor, byRate } = ratios(mine, its)
  const wanted = aim === undefined ? "" : ` (aim ${aim.toFixed(2)})`
  return `${byProcessor.toFixed(2)} by processor${wanted}, ${byRate.toFixed(2)} by rate`
}
