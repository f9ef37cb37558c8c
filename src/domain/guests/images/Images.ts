import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { ServerError, ValidationFailed } from "../../../contract/errors.ts"
import { logStorageFailure } from "../../../platform/database/storage-failure.ts"
import { BUSY_RETRY_SECONDS, IMAGE_UNCLAIMED_MS, OPERATOR_IMAGES_BYTES } from "../../../platform/limits.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { ImageBytes } from "./ImageBytes.ts"
import type { ImageKey } from "./image-byte-storage.ts"
import { isImageToken, newImageToken } from "./image-url.ts"
import { findJpegFault } from "./jpeg.ts"
import { type ImageKind, ImageStore } from "./store.ts"

export type { ImageKind }

export interface StoredImage {
  readonly id: number
  readonly token: string
}

export interface OpenedImage extends ImageKey {
  readonly kind: ImageKind
  readonly bytes: number
}

/** Limits how long one read occupies the embedded database's only session, and the memory per slow reader. */
export const IMAGE_CHUNK_BYTES = 256 * 1024

type PutImage = (upload: {
  readonly operatorId: number
  readonly kind: ImageKind
  readonly jpeg: Uint8Array
  readonly field: string
}) => Effect.Effect<StoredImage, ValidationFailed | ServerError>

/** Retention removes an image after an hour unless a statement keeps it with `keepImageSql`. */
export class Images extends Context.Service<
  Images,
  {
    /** An image that fails with ServerError is removed and does not count towards the quota. */
    readonly put: PutImage
    /** Returns none if there is no such image or its operator is not active. */
    readonly open: (token: string) => Effect.Effect<Option.Option<OpenedImage>>
    /** Returns none if bytes are missing. */
    readonly read: (image: OpenedImage, from: number) => Effect.Effect<Option.Option<Uint8Array>>
  }
>()("latchkey/domain/guests/images/Images") {
  static readonly layer = (
    quota: number = OPERATOR_IMAGES_BYTES
  ): Layer.Layer<Images, never, ImageBytes | SqlClient.SqlClient> =>
    Layer.effect(
      Images,
      Effect.gen(function* () {
        const store = yield* ImageStore
        const storage = yield* ImageBytes
        return Images.of({ put: put(store, storage, quota), open: open(store), read: read(storage) })
      })
    ).pipe(Layer.provide(ImageStore.layer))

  static readonly layerDatabase = Layer.provide(Images.layer(), ImageBytes.layerDatabase)
}

type Store = ImageStore["Service"]
type ByteStorage = ImageBytes["Service"]

// The row is inserted first, because retention cannot find bytes without a row.
const put = (store: Store, storage: ByteStorage, quota: number): PutImage =>
  Effect.fnUntraced(function* ({ operatorId, kind, jpeg, field }) {
    const fault = findJpegFault(jpeg)
    if (fault !== undefined) return yield* new ValidationFailed({ message: `${field}: ${fault}` })
    const now = yield* DateTime.nowAsDate
    const deleteAt = new Date(now.getTime() + IMAGE_UNCLAIMED_MS)
    const image = { operatorId, kind, token: newImageToken(), bytes: jpeg.length, now, deleteAt, quotaBytes: quota }
    const storedImage = yield* store.insert(image)
    if (storedImage === undefined) return yield* quotaExceededError(field, quota)
    const key = { operatorId, ...storedImage }
    yield* Effect.catchTag(storage.write(key, jpeg), "ImageStoreFull", () => failWithStoreFull(store, storage, key))
    return storedImage
  }, withChildSpan("Images.put"))

const storeFullError = new ServerError({
  message: "The image store is full. Nothing was stored; try again later.",
  retryAfter: BUSY_RETRY_SECONDS
})

/** If the removal fails, retention repeats it later. */
const failWithStoreFull = (store: Store, storage: ByteStorage, image: ImageKey) =>
  logStorageFailure("images full").pipe(
    Effect.andThen(
      Effect.catchCause(Effect.andThen(storage.remove(image), store.removeUnreferenced(image)), (cause) =>
        Effect.logDebug("removing an incomplete image failed", cause)
      )
    ),
    Effect.andThen(Effect.fail(storeFullError))
  )

const quotaExceededError = (field: string, quota: number) =>
  new ValidationFailed({
    message: `${field}: the account's images must not exceed ${quota} bytes in all.`
  })

const open = (store: Store) =>
  Effect.fnUntraced(function* (token: string) {
    const row = isImageToken(token) ? yield* store.findByToken(token, yield* DateTime.nowAsDate) : undefined
    if (row === undefined) return Option.none()
    const { operator_id: operatorId, ...image } = row
    return Option.some({ ...image, operatorId })
  }, withChildSpan("Images.open"))

const read = (storage: ByteStorage) =>
  Effect.fnUntraced(function* (image: OpenedImage, from: number) {
    const length = Math.min(IMAGE_CHUNK_BYTES, image.bytes - from)
    const bytes = yield* storage.read(image, from, length)
    return bytes.length === length ? Option.some(bytes) : Option.none()
  }, withChildSpan("Images.read"))
