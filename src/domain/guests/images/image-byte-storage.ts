import { Data, type Effect } from "effect"
import type { OperatorRowId } from "../../operator-rows.ts"

/** Which image: its row, and the token that no other image ever has. */
export interface ImageKey extends OperatorRowId {
  readonly token: string
}

/** The image store is full. No part of the image can be read, and `remove` removes what was written of it. */
export class ImageStoreFull extends Data.TaggedError("ImageStoreFull") {}

/** Where the bytes of images lie. Whatever is cut off in the middle can be done again, and removed. */
export interface ImageByteStorage {
  /** Keeps them, in place of what there was; whoever reads meanwhile finds all of them or none. */
  readonly write: (image: ImageKey, bytes: Uint8Array) => Effect.Effect<void, ImageStoreFull>
  /** As many of them as there are from the byte `from`, `length` at most; none where the image has none. */
  readonly read: (image: ImageKey, from: number, length: number) => Effect.Effect<Uint8Array>
  /** Leaves nothing of them; there may be none. */
  readonly remove: (image: ImageKey) => Effect.Effect<void>
}
