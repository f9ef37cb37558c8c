import type { Described } from "../described.ts"

// OpenAPI forbids two paths that differ only in the name of a parameter, which the specification has: `/reservations/{stay_code}`
// and `/reservations/{reservation_code}`. Those are one path item, their parameter called `code`.

const shapeOf = (path: string): string => path.replaceAll(/\{[a-z_]+\}/g, "{}")

const COMMON = "code"

export interface Place {
  /** The path item. */
  readonly path: string
  /** What the path item calls a path field of the operation. */
  readonly nameOf: (field: string) => string
}

/** Where each operation is written down. */
export const placesOf = (operations: ReadonlyArray<Described>): ReadonlyMap<string, Place> => {
  const spellings = new Map<string, Set<string>>()
  for (const { path } of operations) {
    const shape = shapeOf(path)
    spellings.set(shape, (spellings.get(shape) ?? new Set()).add(path))
  }
  return new Map(
    operations.map(({ name, path }) => {
      const isShared = (spellings.get(shapeOf(path))?.size ?? 0) > 1
      const place: Place = isShared
        ? { path: path.replaceAll(/\{[a-z_]+\}/g, `{${COMMON}}`), nameOf: () => COMMON }
        : { path, nameOf: (field) => field }
      return [name, place]
    })
  )
}
