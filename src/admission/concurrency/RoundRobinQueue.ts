/** Serves one item of each operator in turn, oldest first. A served operator moves to the end. */
export class RoundRobinQueue<Item> {
  /** The operator to serve next comes first. */
  readonly #itemsByOperator = new Map<number, Set<Item>>()

  get operatorCount(): number {
    return this.#itemsByOperator.size
  }

  countQueued(operator: number): number {
    return this.#itemsByOperator.get(operator)?.size ?? 0
  }

  add(operator: number, item: Item): void {
    const items = this.#itemsByOperator.get(operator)
    if (items === undefined) this.#itemsByOperator.set(operator, new Set([item]))
    else items.add(item)
  }

  remove(operator: number, item: Item): boolean {
    const items = this.#itemsByOperator.get(operator)
    if (items === undefined || !items.delete(item)) return false
    if (items.size === 0) this.#itemsByOperator.delete(operator)
    return true
  }

  takeNext(tryServe: (operator: number) => boolean): { readonly operator: number; readonly item: Item } | undefined {
    for (const [operator, items] of this.#itemsByOperator) {
      const [item] = items
      if (item === undefined || !tryServe(operator)) continue
      items.delete(item)
      this.moveToEnd(operator)
      return { operator, item }
    }
    return undefined
  }

  moveToEnd(operator: number): void {
    const items = this.#itemsByOperator.get(operator)
    this.#itemsByOperator.delete(operator)
    if (items !== undefined && items.size > 0) this.#itemsByOperator.set(operator, items)
  }
}
