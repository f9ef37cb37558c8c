/** First in, first out. */
export class Mutex {
  #taken = false
  readonly #waiting: Array<() => void> = []

  /** Returns undefined if the lock was free. */
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
