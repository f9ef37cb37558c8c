import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isFolderUsable } from "../../../../src/domain/guests/images/folder-byte-storage.ts"
import { ImageBytes } from "../../../../src/domain/guests/images/ImageBytes.ts"
import type { ImageKey } from "../../../../src/domain/guests/images/image-byte-storage.ts"
import { newImageToken } from "../../../../src/domain/guests/images/image-url.ts"
import { createOperator } from "../../../support/harness.ts"
import { makeJpegOfLength } from "../../../support/jpegs.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

/** A folder for the images of a test file, in one that goes with it. */
class Folder extends Context.Service<Folder, string>()("test/resources/images/Folder") {
  static readonly layer = Layer.effect(
    Folder,
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "latchkey-images-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ).pipe(Effect.map((folder) => join(folder, "images")))
  )
}

const layerInFolder = Layer.unwrap(Effect.map(Folder, (folder) => ImageBytes.layerFolder(folder))).pipe(
  Layer.provideMerge(Folder.layer)
)

/** An image whose row is there, of an operator of its own. */
const imageOf = Effect.fnUntraced(function* (length: number) {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator()
  const token = newImageToken()
  const [row] = yield* sql<{ id: number }>`
    INSERT INTO images (operator_id, token, kind, bytes, created_at)
    VALUES (${operatorId}, ${token}, 'message', ${length}, now()) RETURNING id`
  const image: ImageKey = { operatorId, id: row?.id ?? 0, token }
  return image
}, Effect.orDie)

const ALL = 10_000_000

const DISK_BYTES = 256 * 1024

/** Returns a folder on a file system of {@link DISK_BYTES}, or undefined if none can be mounted here. */
const smallDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-disk-"))
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "latchkey-test", folder])
    return { folder, isMounted: status === 0 }
  }),
  ({ folder, isMounted }) =>
    Effect.sync(() => {
      if (isMounted) spawnSync("umount", [folder])
      rmSync(folder, { recursive: true, force: true })
    })
).pipe(Effect.map(({ folder, isMounted }) => (isMounted ? folder : undefined)))

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

const readText = Effect.fnUntraced(function* (image: ImageKey, from = 0, length = ALL) {
  const { read } = yield* ImageBytes
  return textOf(yield* read(image, from, length))
})

/** What every place of bytes must do alike. */
const suite = <R, E>(name: string, place: Layer.Layer<ImageBytes | R, E, SqlClient.SqlClient>): void =>
  layer(Layer.provideMerge(place, layerTestDatabase))(name, (it) => {
    it.effect("keeps what is written, and answers any piece of it", () =>
      Effect.gen(function* () {
        const { write } = yield* ImageBytes
        const image = yield* imageOf(10)
        assert.strictEqual(yield* readText(image), "")
        yield* write(image, bytesOf("0123456789"))
        for (const [from, length, expected] of [
          [0, 10, "0123456789"],
          [0, 3, "012"],
          [3, 4, "3456"],
          [8, 10, "89"],
          [9, 1, "9"],
          [10, 5, ""],
          [99, 5, ""]
        ] as const) {
          assert.strictEqual(yield* readText(image, from, length), expected)
        }
      })
    )

    it.effect("keeps bytes as they are, however many", () =>
      Effect.gen(function* () {
        const { write, read } = yield* ImageBytes
        const jpeg = makeJpegOfLength(700_000, 0xa7)
        const image = yield* imageOf(jpeg.length)
        yield* write(image, jpeg)
        const half = jpeg.length / 2
        const halves = [yield* read(image, 0, half), yield* read(image, half, half)]
        assert.isTrue(Buffer.concat(halves).equals(jpeg))
      })
    )

    it.effect("written again has the last, and removed again nothing", () =>
      Effect.gen(function* () {
        const { write, remove } = yield* ImageBytes
        const [image, other] = [yield* imageOf(5), yield* imageOf(5)]
        yield* write(other, bytesOf("other"))
        yield* write(image, bytesOf("a longer one"))
        yield* write(image, bytesOf("short"))
        assert.strictEqual(yield* readText(image), "short")
        yield* remove(image)
        assert.strictEqual(yield* readText(image), "")
        yield* remove(image)
        assert.strictEqual(yield* readText(other), "other")
        yield* write(image, bytesOf("again"))
        assert.strictEqual(yield* readText(image), "again")
      })
    )

    it.effect("keeps apart what is written, read and removed at once", () =>
      Effect.gen(function* () {
        const { write, remove } = yield* ImageBytes
        const images = yield* Effect.forEach(Array.from({ length: 12 }), () => imageOf(100))
        const there = yield* Effect.forEach(
          images,
          (image, nth) =>
            Effect.gen(function* () {
              yield* write(image, bytesOf(`image ${nth}`))
              if (nth % 3 === 0) yield* remove(image)
              return yield* readText(image)
            }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          there,
          images.map((_, nth) => (nth % 3 === 0 ? "" : `image ${nth}`))
        )
      })
    )
  })

suite("bytes in the database", ImageBytes.layerDatabase)
suite("bytes in a folder", layerInFolder)

layer(Layer.provideMerge(layerInFolder, layerTestDatabase))("a folder of images", (it) => {
  const filesIn = (folder: string) =>
    existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []

  it.effect("is its owner's alone, and tells no address", () =>
    Effect.gen(function* () {
      const [folder, { write }] = [yield* Folder, yield* ImageBytes]
      const image = yield* imageOf(5)
      yield* write(image, bytesOf("bytes"))
      const files = filesIn(folder)
      assert.isAtLeast(files.length, 2)
      for (const file of [".", ...files]) {
        const stats = statSync(join(folder, file))
        assert.strictEqual(stats.mode & 0o777, stats.isDirectory() ? 0o700 : 0o600, file)
        assert.notInclude(file, image.token.slice(8))
      }
    })
  )

  it.effect("has nothing of an image whose writer was killed before it was whole, nor keeps that for ever", () =>
    Effect.gen(function* () {
      const [folder, { write, remove }] = [yield* Folder, yield* ImageBytes]
      const before = new Set(filesIn(folder))
      const image = yield* imageOf(5)
      yield* write(image, bytesOf("bytes"))
      const [file = ""] = filesIn(folder).filter((each) => !before.has(each) && each.endsWith(".jpg"))
      // As a kill leaves it: what was written so far, under the name it has until then.
      yield* remove(image)
      writeFileSync(join(folder, `${file}.unfinished`), "by")
      assert.strictEqual(yield* readText(image), "")
      yield* write(image, bytesOf("whole"))
      assert.strictEqual(yield* readText(image), "whole")
      writeFileSync(join(folder, `${file}.unfinished`), "by")
      yield* remove(image)
      assert.deepStrictEqual(
        filesIn(folder).filter((each) => each.includes(file)),
        []
      )
    })
  )

  it.effect("shows what was put into the database before there was a folder, until its image goes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const image = yield* imageOf(6)
      const before = yield* Effect.provide(ImageBytes, ImageBytes.layerDatabase, { local: true })
      yield* before.write(image, bytesOf("before"))
      assert.strictEqual(yield* readText(image), "before")
      yield* sql`DELETE FROM images WHERE operator_id = ${image.operatorId} AND id = ${image.id}`
      assert.strictEqual(yield* readText(image), "")
    })
  )

  it.effect(
    "that is full shows no part of an image, removes what was written of it, and stores the image once it has space",
    (test) =>
      Effect.gen(function* () {
        const folder = yield* smallDisk
        if (folder === undefined) {
          return test.skip("a small file system cannot be mounted here, which takes root and Linux")
        }
        const filler = join(folder, "filler")
        writeFileSync(filler, new Uint8Array(DISK_BYTES / 2))
        const { write, read, remove } = yield* Effect.provide(
          ImageBytes,
          ImageBytes.layerFolder(join(folder, "images")),
          {
            local: true
          }
        )
        const image = yield* imageOf(DISK_BYTES)
        const bytes = new Uint8Array(DISK_BYTES * 0.75).fill(7)
        const error = yield* Effect.flip(write(image, bytes))
        assert.strictEqual(error._tag, "ImageStoreFull")
        assert.lengthOf(yield* read(image, 0, ALL), 0)
        yield* remove(image)
        const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        assert.deepStrictEqual(
          files.map(({ name }) => name),
          ["filler"]
        )
        rmSync(filler)
        yield* write(image, bytes)
        assert.lengthOf(yield* read(image, 0, ALL), bytes.length)
      })
  )

  it.effect("that is full reports so also if it cannot remove the unfinished file", (test) =>
    Effect.gen(function* () {
      const folder = yield* smallDisk
      if (folder === undefined || !existsSync("/dev/full")) {
        return test.skip("a small file system cannot be mounted here, which takes root and Linux")
      }
      const images = join(folder, "images")
      const { write, remove } = yield* Effect.provide(ImageBytes, ImageBytes.layerFolder(images), { local: true })
      const image = yield* imageOf(5)
      yield* write(image, bytesOf("bytes"))
      const [file = ""] = filesIn(images).filter((each) => each.endsWith(".jpg"))
      yield* remove(image)
      // A write to the link fails as on a full disk, and the read-only mount does not let the link be removed.
      symlinkSync("/dev/full", join(images, `${file}.unfinished`))
      assert.strictEqual(spawnSync("mount", ["-o", "remount,ro", folder]).status, 0)
      assert.strictEqual((yield* Effect.flip(write(image, bytesOf("bytes"))))._tag, "ImageStoreFull")
    })
  )

  it.effect("of two databases keeps images apart that have one id", () =>
    Effect.gen(function* () {
      const { write } = yield* ImageBytes
      const image = yield* imageOf(5)
      const elsewhere = { ...image, token: newImageToken() }
      yield* write(image, bytesOf("here"))
      yield* write(elsewhere, bytesOf("there"))
      assert.deepStrictEqual([yield* readText(image), yield* readText(elsewhere)], ["here", "there"])
    })
  )

  it.effect("that cannot be written to fails, and can be told", () =>
    Effect.gen(function* () {
      const folder = yield* Folder
      const inTheWay = join(folder, "..", "in-the-way")
      writeFileSync(inTheWay, "a file", { mode: 0o755 })
      mkdirSync(folder, { recursive: true })
      assert.isTrue(yield* isFolderUsable(folder))
      assert.isFalse(yield* isFolderUsable(inTheWay))
      assert.isFalse(yield* isFolderUsable(join(folder, "missing")))
      const { write } = yield* Effect.provide(ImageBytes, ImageBytes.layerFolder(inTheWay), { local: true })
      assert.isTrue(Exit.hasDies(yield* Effect.exit(write(yield* imageOf(5), bytesOf("bytes")))))
    })
  )
})
