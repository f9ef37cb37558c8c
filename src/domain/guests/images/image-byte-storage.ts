import { Data, type Effect } from "effect"
import type { OperatorRowId } from "../../operator-rows.ts"

export interface ImageKey extends OperatorRowId {
  readonly token: string
}

/** No part of the image can be read; `remove` removes what was written. */
export class ImageStoreFull extends Data.TaggedError("ImageStoreFull") {}

/** Every operation can be repeated after a failure. */
export interface ImageByteStorage {
  /** Replaces the bytes atomically: a reader finds all of them or none. */
  readonly write: (image: ImageKey, bytes: Uint8Array) => Effect.Effect<void, ImageStoreFull>
  /** Returns at most `length` bytes, or none if the image has none. */
  readonly read: (image: ImageKey, from: number, length: number) => Effect.Effect<Uint8Array>
  /** Idempotent. */
  readonly remove: (image: ImageKey) => Effect.Effect<void>
}
