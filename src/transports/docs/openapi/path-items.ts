import type { OperationDescription } from "../operation-descriptions.ts"

// OpenAPI forbids two paths that differ only in the name of a parameter. The specification has such paths, for example
// `/reservations/{stay_code}` and `/reservations/{reservation_code}`. They share one path item with the parameter `code`.

const toPathShape = (path: string): string => path.replaceAll(/\{[a-z_]+\}/g, "{}")

const SHARED_PARAMETER = "code"

export interface PathItemLocation {
  readonly path: string
  /** Returns the name that the path item uses for a path field of the operation. */
  readonly parameterNameOf: (field: string) => string
}

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
