import type { OperationDescription } from "../operation-descriptions.ts"

// OpenAPI forbids two paths that differ only in the name of a parameter, which the specification has: `/reservations/{stay_code}`
// and `/reservations/{reservation_code}`. Those are one path item, their parameter called `code`.

const toPathShape = (path: string): string => path.replaceAll(/\{[a-z_]+\}/g, "{}")

const SHARED_PARAMETER = "code"

export interface PathItemLocation {
  /** The path item. */
  readonly path: string
  /** What the path item calls a path field of the operation. */
  readonly parameterNameOf: (field: string) => string
}

/** Where each operation is written down. */
export const toPathItemLocations = (
  operations: ReadonlyArray<OperationDescription>
): ReadonlyMap<string, PathItemLocation> => {
  const pathsByShape = new Map<string, Set<string>>()
  for (const { path } of operations) {
    const shape = toPathShape(path)
    pathsByShape.set(shape, (pathsByShape.get(shape) ?? new Set()).add(path))
  }
  return new Map(
    operations.map(({ name, path }) => {
      const isShared = (pathsByShape.get(toPathShape(path))?.size ?? 0) > 1
      const location: PathItemLocation = isShared
        ? { path: path.replaceAll(/\{[a-z_]+\}/g, `{${SHARED_PARAMETER}}`), parameterNameOf: () => SHARED_PARAMETER }
        : { path, parameterNameOf: (field) => field }
      return [name, location]
    })
  )
}
