/**
 * Items that operators wait for, served round robin: one of each operator in turn, those of an operator in the order they
 * came. Whoever is served goes to the end of the row.
 */
export class RoundRobin<Item> {
  /** Operators that wait, the one whose turn it is first; each with its items, oldest first. */
  readonly #row = new Map<number, Set<Item>>()

  /** Operators that wait. */
  get operators(): number {
    return this.#row.size
  }

  /** Items of this operator that wait. */
  waiting(operator: number): number {
    return this.#row.get(operator)?.size ?? 0
  }

  add(operator: number, item: Item): void {
    const items = this.#row.get(operator)
    if (items === undefined) this.#row.set(operator, new Set([item]))
    else items.add(item)
  }

  /** Whether it was waiting. */
  withdraw(operator: number, item: Item): boolean {
    const items = this.#row.get(operator)
    if (items === undefined || !items.delete(item)) return false
    if (items.size === 0) this.#row.delete(operator)
    return true
  }

  /**
   * The oldest item of the first operator that is admitted, no longer waiting; undefined when nobody is. Asked of one
   * operator after the other, until one is.
   */
  next(admitted: (operator: number) => boolean): { readonly operator: number; readonly item: Item } | undefined {
    for (const [operator, items] of this.#row) {
      const [item] = items
      if (item === undefined || !admitted(operator)) continue
      items.delete(item)
      this.toEnd(operator)
      return { operator, item }
    }
    return undefined
  }

  /** Puts an operator behind all others; one with nothing left to wait for leaves the row. */
  toEnd(operator: number): void {
    const items = this.#row.get(operator)
    this.#row.delete(operator)
    if (items !== undefined && items.size > 0) this.#row.set(operator, items)
  }
}
