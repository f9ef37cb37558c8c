import { Effect } from "effect"

/** A slice takes about three milliseconds for the tables of a page. */
const ITEMS_PER_SLICE = 10

export const toSlices = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** Other calls can run between slices. */
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
