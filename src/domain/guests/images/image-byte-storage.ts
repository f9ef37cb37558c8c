import { Data, type Effect } from "effect"
import type { OperatorRowId } from "../../operator-rows.ts"

export interface ImageKey extends OperatorRowId {
  readonly token: string
}

/** The image cannot be read, and `remove` deletes the part that was written. */
export class ImageStoreFull extends Data.TaggedError("ImageStoreFull") {}

/** Every operation can be repeated after a failure. */
export interface ImageByteStorage {
  /** Replaces the bytes atomically, so that a reader never gets a part of them. */
  readonly write: (image: ImageKey, bytes: Uint8Array) => Effect.Effect<void, ImageStoreFull>
  /** Returns an empty array if the storage has no bytes of the image. */
  readonly read: (image: ImageKey, from: number, length: number) => Effect.Effect<Uint8Array>
  readonly remove: (image: ImageKey) => Effect.Effect<void>
}
