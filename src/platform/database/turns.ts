/** Something that one at a time can have, in the order they asked for it. */
export class Turns {
  #taken = false
  readonly #waiting: Array<() => void> = []

  /** Resolves once it is the caller's; undefined when it is at once. */
  take(): Promise<void> | undefined {
    if (this.#taken) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#taken = true
    return undefined
  }

  giveBack(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken = false
    else next()
  }
}
