/** What one check came to. `unsure`: it could not be made, for the reason it says. */
export interface Finding {
  readonly check: string
  readonly is: "fine" | "warning" | "wrong" | "unsure"
  /** What was found, in one line without a secret. */
  readonly found: string
  /** What to do about it, one line, with a command where there is one. */
  readonly advice?: string
}

export const fine = (check: string, found: string): Finding => ({ check, is: "fine", found })
export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  is: "warning",
  found,
  advice
})
export const wrong = (check: string, found: string, advice: string): Finding => ({ check, is: "wrong", found, advice })
export const unsure = (check: string, found: string): Finding => ({ check, is: "unsure", found })
