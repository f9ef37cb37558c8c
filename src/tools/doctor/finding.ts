/** `unsure` means that the check could not run. */
export interface Finding {
  readonly check: string
  readonly is: "fine" | "warning" | "wrong" | "unsure"
  /** One line, without secrets. */
  readonly found: string
  /** One line, with the command to run if there is one. */
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
