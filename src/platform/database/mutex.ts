/** Something that one at a time can have, in the order they asked for it. */
export class Mutex {
  #taken = false
  readonly #waiting: Array<() => void> = []

  /** Resolves once it is the caller's; undefined when it is at once. */
  acquire(): Promise<void> | undefined {
    if (this.#taken) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#taken = true
    return undefined
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken = false
    else next()
  }
}
