import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Logger, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ImageBytes } from "../../../../src/domain/guests/images/ImageBytes.ts"
import { IMAGE_CHUNK_BYTES, Images, type StoredImage } from "../../../../src/domain/guests/images/Images.ts"
import { ImageStoreFull } from "../../../../src/domain/guests/images/image-byte-storage.ts"
import { keepImageSql, releaseImagesSql } from "../../../../src/domain/guests/images/image-references.ts"
import { newImageToken } from "../../../../src/domain/guests/images/image-url.ts"
import { makeRemoveExpiredImages } from "../../../../src/domain/guests/images/retention.ts"
import { RETENTION_BATCH_ROWS } from "../../../../src/jobs/retention.ts"
import { makeOptionalRowReader } from "../../../../src/platform/database/rows.ts"
import { STORAGE_FAILURE_LOG_MS, StorageFailureLogTimes } from "../../../../src/platform/database/storage-failure.ts"
import { BUSY_RETRY_SECONDS, IMAGE_UNCLAIMED_MS } from "../../../../src/platform/limits.ts"
import { createOperator } from "../../../support/harness.ts"
import { JPEG, makeJpegOfLength } from "../../../support/jpegs.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"
import { countStatements } from "../../../support/statement-count.ts"

const NOW = Date.parse("2027-06-10T10:00:00Z")

const readId = makeOptionalRowReader(Schema.Struct({ id: Schema.Int }))

/** What the database still has of an operator's images. */
const leftOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [left] = yield* sql<{ rows: number; contents: number; share: number }>`
    SELECT (SELECT count(*) FROM images WHERE operator_id = ${operatorId}) AS rows,
      (SELECT count(*) FROM image_bytes WHERE operator_id = ${operatorId}) AS contents,
      (SELECT coalesce(sum(bytes), 0)::bigint FROM image_shares WHERE operator_id = ${operatorId}) AS share`
  return left
}, Effect.orDie)

const NOTHING = { rows: 0, contents: 0, share: 0 }

/** What a statement that refers to an image has of it. */
const kept = Effect.fnUntraced(function* (operatorId: number, { id }: StoredImage) {
  const sql = yield* SqlClient.SqlClient
  return (yield* readId(sql`WITH kept AS (${keepImageSql(sql, operatorId, id)}) SELECT id FROM kept`)) !== undefined
})

const letGo = Effect.fnUntraced(function* (operatorId: number, { id }: StoredImage) {
  const sql = yield* SqlClient.SqlClient
  yield* readId(sql`
    WITH gone AS (${releaseImagesSql(sql, operatorId, sql`SELECT ${id}::bigint`, yield* DateTime.nowAsDate)})
    SELECT id FROM gone`)
})

const retained = Effect.flatMap(makeRemoveExpiredImages, (retain) => Effect.flatMap(DateTime.nowAsDate, retain))

const layerImages = Layer.provideMerge(Images.layer(), Layer.provideMerge(ImageBytes.layerDatabase, layerOwnDatabase))

layer(layerImages)("images", (it) => {
  const ready = Effect.gen(function* () {
    yield* TestClock.setTime(NOW)
    const { operatorId } = yield* createOperator()
    const images = yield* Images
    const put = (jpeg: Uint8Array, by = images) => by.put({ operatorId, kind: "message", jpeg, field: "jpeg_base64" })
    return { operatorId, images, put }
  })

  /** The bytes of an image, a piece after the other; none when it opens nothing. */
  const shown = Effect.fnUntraced(function* (token: string) {
    const images = yield* Images
    const opened = Option.getOrUndefined(yield* images.open(token))
    if (opened === undefined) return undefined
    const pieces: Array<Uint8Array> = []
    for (let from = 0; from < opened.bytes; from += IMAGE_CHUNK_BYTES) {
      pieces.push(Option.getOrThrow(yield* images.read(opened, from)))
    }
    return Buffer.concat(pieces)
  })

  it.effect("are shown as they were put, by their token alone", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      for (const jpeg of [
        JPEG,
        makeJpegOfLength(IMAGE_CHUNK_BYTES),
        makeJpegOfLength(2 * IMAGE_CHUNK_BYTES + 1, 0x5a)
      ]) {
        const [{ token }, statements] = yield* countStatements(put(jpeg))
        assert.strictEqual(statements, 2)
        assert.isTrue((yield* shown(token))?.equals(jpeg))
      }
      assert.strictEqual((yield* leftOf(operatorId))?.share, JPEG.length + 3 * IMAGE_CHUNK_BYTES + 1)
      for (const token of ["", newImageToken(), "lkimage_x", `${newImageToken()}'`])
        assert.isUndefined(yield* shown(token))
    })
  )

  it.effect("are JPEGs, else nothing is kept and the field is named", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const { message } = yield* Effect.flip(put(new Uint8Array(Buffer.from("\x89PNG\r\n"))))
      assert.match(message, /^jpeg_base64: .*JPEG/)
      assert.deepStrictEqual(yield* leftOf(operatorId), NOTHING)
    })
  )

  it.effect("have bytes up to the quota of their operator, and not one more", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const small = yield* Effect.provide(Images, Images.layer(300), { local: true })
      const refused = (length: number) =>
        Effect.map(Effect.flip(put(makeJpegOfLength(length), small)), ({ message }) => message)
      const tooMany = /^jpeg_base64: .*300 bytes/
      // Of an operator without any, too.
      assert.match(yield* refused(301), tooMany)
      assert.deepStrictEqual(yield* leftOf(operatorId), NOTHING)
      const first = yield* put(makeJpegOfLength(200), small)
      assert.match(yield* refused(101), tooMany)
      yield* put(makeJpegOfLength(100), small)
      assert.match(yield* refused(40), tooMany)
      assert.deepStrictEqual(yield* leftOf(operatorId), { rows: 2, contents: 2, share: 300 })
      // What goes makes room, and no other operator is asked.
      yield* letGo(operatorId, first)
      yield* retained
      yield* put(makeJpegOfLength(200), small)
      const other = yield* createOperator()
      yield* small.put({ operatorId: other.operatorId, kind: "identity", jpeg: makeJpegOfLength(300), field: "photo" })
    })
  )

  it.effect("get 500 with Retry-After if the store is full, count in no quota, and are logged once a minute", () =>
    Effect.gen(function* () {
      const { operatorId, put } = yield* ready
      yield* put(makeJpegOfLength(100))
      const full = Layer.succeed(ImageBytes, {
        ...(yield* ImageBytes),
        write: () => Effect.fail(new ImageStoreFull())
      })
      const lines: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
      const before = yield* leftOf(operatorId)
      yield* Effect.gen(function* () {
        const images = yield* Images
        const failure = Effect.flip(put(makeJpegOfLength(100), images))
        const error = yield* failure
        assert.deepInclude(error, { _tag: "ServerError", retryAfter: BUSY_RETRY_SECONDS })
        assert.match(error.message, /store .*full/)
        yield* TestClock.adjust(STORAGE_FAILURE_LOG_MS - 1)
        yield* failure
        assert.lengthOf(lines, 1)
        assert.include(String(lines[0]), "the image store is full")
        yield* TestClock.adjust(1)
        yield* failure
        assert.lengthOf(lines, 2)
      }).pipe(
        Effect.provide(Layer.provide(Images.layer(), full), { local: true }),
        Effect.provide(Layer.merge(logger, Layer.succeed(StorageFailureLogTimes, new Map())))
      )
      assert.deepStrictEqual(yield* leftOf(operatorId), before)
    })
  )

  it.effect(
    "keep their row if the store is full and cannot remove what was written, so that retention removes it",
    () =>
      Effect.gen(function* () {
        const { operatorId, put } = yield* ready
        const bytes = yield* ImageBytes
        const removed: Array<number> = []
        const full = (remove: typeof bytes.remove) =>
          Layer.succeed(ImageBytes, { ...bytes, write: () => Effect.fail(new ImageStoreFull()), remove })
        const refused = (remove: typeof bytes.remove) =>
          Effect.flatMap(Images, (images) => Effect.flip(put(makeJpegOfLength(100), images))).pipe(
            Effect.provide(Layer.provide(Images.layer(), full(remove)), { local: true })
          )
        yield* refused(({ id }) => Effect.sync(() => void removed.push(id)))
        assert.lengthOf(removed, 1)
        assert.deepStrictEqual(yield* leftOf(operatorId), NOTHING)
        assert.strictEqual((yield* refused(() => Effect.die("read-only")))._tag, "ServerError")
        assert.deepInclude(yield* leftOf(operatorId), { rows: 1, share: 100 })
        yield* TestClock.adjust(IMAGE_UNCLAIMED_MS)
        yield* retained
        assert.deepInclude(yield* leftOf(operatorId), { rows: 0, share: 0 })
      })
  )

  it.effect("keep to the quota when many are put at once", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const small = yield* Effect.provide(Images, Images.layer(350), { local: true })
      const puts = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => Effect.result(put(makeJpegOfLength(100), small)),
        {
          concurrency: "unbounded"
        }
      )
      assert.lengthOf(
        puts.filter(({ _tag }) => _tag === "Success"),
        3
      )
      assert.deepStrictEqual(yield* leftOf(operatorId), { rows: 3, contents: 3, share: 300 })
    })
  )

  it.effect("to which nothing refers go in an hour, with their bytes and their share", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const image = yield* put(JPEG)
      yield* TestClock.setTime(NOW + IMAGE_UNCLAIMED_MS - 1)
      yield* retained
      assert.isDefined(yield* shown(image.token))
      yield* TestClock.setTime(NOW + IMAGE_UNCLAIMED_MS)
      // Already before they are removed.
      assert.isUndefined(yield* shown(image.token))
      yield* retained
      assert.deepStrictEqual(yield* leftOf(operatorId), NOTHING)
      assert.isFalse(yield* kept(operatorId, image))
    })
  )

  it.effect("to which something refers stay until they are let go, and then go at once", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const [image, other] = [yield* put(JPEG), yield* put(JPEG)]
      for (const each of [image, other]) assert.isTrue(yield* kept(operatorId, each))
      yield* TestClock.setTime(NOW + 400 * IMAGE_UNCLAIMED_MS)
      yield* retained
      assert.isDefined(yield* shown(image.token))
      yield* letGo(operatorId, image)
      assert.isUndefined(yield* shown(image.token))
      yield* retained
      assert.deepStrictEqual(yield* leftOf(operatorId), { rows: 1, contents: 1, share: JPEG.length })
      assert.isDefined(yield* shown(other.token))
    })
  )

  it.effect("whose statement is of another operator stay as they are", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const stranger = yield* createOperator()
      const image = yield* put(JPEG)
      assert.isFalse(yield* kept(stranger.operatorId, image))
      assert.isTrue(yield* kept(operatorId, image))
      yield* letGo(stranger.operatorId, image)
      assert.isDefined(yield* shown(image.token))
    })
  )

  it.effect.each(["banned", "closed"] as const)("of an operator that is %s are not shown", (status) =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const { token } = yield* put(JPEG)
      yield* sql`UPDATE operators SET status = ${status} WHERE id = ${operatorId}`
      assert.isUndefined(yield* shown(token))
    })
  )

  it.effect("leave nothing for ever, wherever who puts them is cut off", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const away = yield* Effect.provide(
        Images,
        Layer.provide(
          Images.layer(),
          Layer.succeed(ImageBytes, {
            write: () => Effect.die(new Error("killed")),
            read: () => Effect.succeed(new Uint8Array()),
            remove: () => Effect.void
          })
        ),
        { local: true }
      )
      // Between the row and the bytes, and between the bytes and what refers to them.
      yield* Effect.exit(put(JPEG, away))
      yield* put(JPEG)
      assert.deepStrictEqual(yield* leftOf(operatorId), { rows: 2, contents: 1, share: 2 * JPEG.length })
      yield* TestClock.setTime(NOW + IMAGE_UNCLAIMED_MS)
      yield* retained
      assert.deepStrictEqual(yield* leftOf(operatorId), NOTHING)
    })
  )

  it.effect("that are half removed are kept by nobody, and removed by the next", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const image = yield* put(JPEG)
      yield* TestClock.setTime(NOW + IMAGE_UNCLAIMED_MS)
      const killed = Layer.succeed(ImageBytes, {
        write: () => Effect.void,
        read: () => Effect.succeed(new Uint8Array()),
        remove: () => Effect.interrupt
      })
      yield* Effect.exit(Effect.provide(retained, killed, { local: true }))
      assert.strictEqual((yield* leftOf(operatorId))?.rows, 1)
      assert.isFalse(yield* kept(operatorId, image))
      yield* letGo(operatorId, image)
      yield* retained
      assert.deepStrictEqual(yield* leftOf(operatorId), NOTHING)
    })
  )

  it.effect("go once, however many processes remove them at once", () =>
    Effect.gen(function* () {
      const { put, operatorId } = yield* ready
      const stays = yield* put(JPEG)
      yield* kept(operatorId, stays)
      yield* Effect.forEach(Array.from({ length: 20 }), () => put(JPEG))
      yield* TestClock.setTime(NOW + IMAGE_UNCLAIMED_MS)
      yield* Effect.all([retained, retained, retained], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* leftOf(operatorId), { rows: 1, contents: 1, share: JPEG.length })
    })
  )

  it.effect(`go also where more than ${RETENTION_BATCH_ROWS} do, and one cannot be removed`, () =>
    Effect.gen(function* () {
      const { operatorId } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const stuck = newImageToken()
      yield* sql`
        INSERT INTO images (operator_id, token, kind, bytes, created_at, delete_at)
        SELECT ${operatorId}::bigint, CASE nth WHEN 1 THEN ${stuck}::text ELSE 'due ' || nth END, 'identity', 1, now(), ${new Date(NOW)}::timestamptz
        FROM generate_series(1, ${RETENTION_BATCH_ROWS + 1}::int) nth`
      yield* sql`INSERT INTO image_shares (operator_id, bytes) VALUES (${operatorId}, ${RETENTION_BATCH_ROWS + 1})`
      const lines: Array<string> = []
      const holding = Layer.succeed(ImageBytes, {
        write: () => Effect.void,
        read: () => Effect.succeed(new Uint8Array()),
        remove: ({ token }) => (token === stuck ? Effect.die(new Error("no permission")) : Effect.void)
      })
      // In one transaction: that each commits by itself is not what this is about, and takes a server its time.
      yield* sql
        .withTransaction(Effect.provide(retained, holding, { local: true }))
        .pipe(Effect.provide(Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))])))
      assert.deepStrictEqual(yield* leftOf(operatorId), { rows: 1, contents: 0, share: 1 })
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "no permission")
      assert.notInclude(lines[0], stuck)
      yield* retained
      assert.deepStrictEqual(yield* leftOf(operatorId), NOTHING)
    })
  )
})
