import { Effect } from "effect"

/** Items worked on in one turn of the event loop: some three milliseconds of a page's tables. */
const ITEMS_PER_SLICE = 10

/** Items in order, `size` at a time. */
export const toSlices = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** What `make` makes of each item, in order; between slices everybody else's calls have their turn. */
export const mapInSlices = <A, B>(
  items: ReadonlyArray<A>,
  make: (item: A, index: number) => B
): Effect.Effect<ReadonlyArray<B>> =>
  Effect.map(
    Effect.forEach(toSlices(items, ITEMS_PER_SLICE), (slice, sliceIndex) =>
      Effect.map(Effect.yieldNow, () => slice.map((item, index) => make(item, sliceIndex * ITEMS_PER_SLICE + index)))
    ),
    (results) => results.flat()
  )
