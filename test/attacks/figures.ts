import assert from "node:assert"

/** What an attack says at its end. */
export interface Figures {
  readonly attack: string
  /** The database it was tried on. */
  readonly on: string
  /** What was tried, how often: "calls over both doors 1500". */
  readonly tried: ReadonlyArray<readonly [what: string, times: number]>
  /** What must not happen and did: each kind once, with how often and an example. */
  readonly fell: ReadonlyArray<string>
  /** Other numbers worth a look. */
  readonly seen: ReadonlyArray<string>
  readonly seed: number | undefined
  readonly seconds: number
}

const EXAMPLE_CHARACTERS = 400

/** Counts of one run of an attack. */
export const tally = (attack: string, on: string, seed?: number) => {
  const startedAt = performance.now()
  const tried = new Map<string, number>()
  const fell = new Map<string, { times: number; readonly example: string }>()
  const seen: Array<string> = []
  return {
    tried: (what: string, times = 1) => void tried.set(what, (tried.get(what) ?? 0) + times),
    /** Notes a fall; of each kind the first example is kept. */
    fell: (kind: string, example = "") => {
      const known = fell.get(kind)
      if (known === undefined) fell.set(kind, { times: 1, example })
      else known.times++
    },
    seen: (line: string) => void seen.push(line),
    figures: (): Figures => ({
      attack,
      on,
      tried: Array.from(tried),
      fell: Array.from(
        fell,
        ([kind, { times, example }]) =>
          `${kind}${times > 1 ? ` (${times} times)` : ""}${example === "" ? "" : `: ${example.slice(0, EXAMPLE_CHARACTERS)}`}`
      ),
      seen,
      seed,
      seconds: (performance.now() - startedAt) / 1_000
    })
  }
}

export type Tally = ReturnType<typeof tally>

/** The figures of one attack as lines for a terminal. */
export const linesOf = ({ attack, on, tried, fell, seen, seed, seconds }: Figures): ReadonlyArray<string> => [
  `${fell.length === 0 ? "held" : "FELL"}  ${attack}, ${on}, ${seconds.toFixed(1)} s${seed === undefined ? "" : `, ATTACK_SEED=${seed}`}`,
  ...tried.map(([what, times]) => `      ${String(times).padStart(7)} ${what}`),
  ...seen.map((line) => `      ${line}`),
  ...fell.map((line) => `      fell: ${line}`)
]

/** The database a test run is on. */
export const onRunsDatabase = (process.env.DATABASE_URL ?? "") === "" ? "embedded" : "PostgreSQL"

/** For the tests: prints the figures and fails when something fell. */
export const assertHeld = (figures: Figures): void => {
  console.log(linesOf(figures).join("\n"))
  assert.deepStrictEqual(figures.fell, [])
}
