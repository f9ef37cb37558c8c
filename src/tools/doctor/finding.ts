/** What one check came to. `unsure`: it could not be made, for the reason it says. */
export interface Finding {
  readonly check: string
  readonly is: "fine" | "warning" | "wrong" | "unsure"
  /** What was found, in one line without a secret. */
  readonly found: string
  /** What to do about it, one line, with a command where there is one. */
  readonly advice?: string
}

export const okFinding = (check: string, found: string): Finding => ({ check, is: "fine", found })
export const warningFinding = (check: string, found: string, advice: string): Finding => ({
  check,
  is: "warning",
  found,
  advice
})
export const errorFinding = (check: string, found: string, advice: string): Finding => ({
  check,
  is: "wrong",
  found,
  advice
})
export const unknownFinding = (check: string, found: string): Finding => ({ check, is: "unsure", found })
