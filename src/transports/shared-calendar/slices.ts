import { Effect } from "effect"

/** Rendering the calendars of one slice takes about three milliseconds. */
const ITEMS_PER_SLICE = 10

export const toSlices = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** Yields between slices, so that other calls can run. */
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
