import type { Suffered } from "./fault.ts"

const COLUMNS = ["fault", "on", "times", "acknowledged", "lost", "back after", "seen"]

const cells = ({ fault, on, times, acknowledged, lost, recoveredMs, seen }: Suffered): ReadonlyArray<string> => [
  fault,
  on,
  String(times),
  String(acknowledged),
  String(lost),
  recoveredMs === undefined ? "not interrupted" : `${(recoveredMs / 1_000).toFixed(1)} s`,
  seen
]

const row = (texts: ReadonlyArray<string>) => `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`

/** The rows as Markdown, for docs/reports/reliability.md. */
export const tableOf = (suffered: ReadonlyArray<Suffered>): string =>
  [row(COLUMNS), row(COLUMNS.map(() => "---")), ...suffered.map((each) => row(cells(each)))].join("\n")

/** Nothing acknowledged is gone, and nobody got an answer that is not promised. */
export const held = ({ lost, fell }: Suffered): boolean => lost === 0 && fell.length === 0
