import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Tracer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import {
  IMAGE_CHUNK_BYTES,
  type ImageKind,
  Images,
  type OpenedImage
} from "../../../src/domain/guests/images/Images.ts"
import { newImageToken, toImageUrl } from "../../../src/domain/guests/images/image-url.ts"
import { IMAGE_BYTES, IMAGE_UNCLAIMED_MS, IMAGE_VIEWS_A_MINUTE } from "../../../src/platform/limits.ts"
import { makeImageHandler } from "../../../src/transports/pages/image-endpoint.ts"
import { createOperator } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import { EOI, JPEG, makeFrameHeader, makeJpegOfLength, makeSegment, SCAN_HEADER, SOI } from "../../support/jpegs.ts"
import { makeSpanRecorder } from "../../support/span-recorder.ts"

const NOW = Date.parse("2027-06-10T10:00:20Z")

const fetched = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  })

layer(layerHttpServer(), { excludeTestServices: false })("an image", (it) => {
  const shown = Effect.fnUntraced(function* (kind: ImageKind, jpeg: Uint8Array = JPEG) {
    yield* TestClock.setTime(NOW)
    const { operatorId } = yield* createOperator()
    const image = yield* (yield* Images).put({ operatorId, kind, jpeg, field: "image" })
    return { ...image, operatorId, url: toImageUrl(yield* BaseUrl, image.token) }
  })

  it.effect("of a message is its bytes and nothing that runs, and is kept by who has seen it", () =>
    Effect.gen(function* () {
      const script = Array.from(Buffer.from("<script>alert(1)</script>"))
      const jpeg = new Uint8Array([
        ...SOI,
        ...makeSegment(0xfe, script),
        ...makeFrameHeader(0xc0, 1, 1),
        ...SCAN_HEADER,
        ...EOI,
        ...script
      ])
      const { url } = yield* shown("message", jpeg)
      const { status, headers, bytes } = yield* fetched(url)
      assert.strictEqual(status, 200)
      assert.isTrue(bytes.equals(jpeg))
      const expected = {
        "content-type": "image/jpeg",
        "content-length": String(jpeg.length),
        "content-disposition": 'inline; filename="image.jpg"',
        "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-robots-tag": "noindex, nofollow",
        "cache-control": "private, max-age=86400"
      }
      for (const [name, value] of Object.entries(expected)) assert.strictEqual(headers.get(name), value)
      const etag = headers.get("etag") ?? ""
      assert.match(etag, /^"[\w-]{32}"$/)
      for (const value of [etag, `W/${etag}`, "*"]) {
        const again = yield* fetched(url, { headers: { "if-none-match": value } })
        assert.deepStrictEqual([again.status, again.bytes.length, again.headers.get("etag")], [304, 0, etag])
      }
      assert.strictEqual((yield* fetched(url, { headers: { "if-none-match": '"other"' } })).status, 200)
    })
  )

  it.effect("of an identity document is kept by nobody", () =>
    Effect.gen(function* () {
      const { url } = yield* shown("identity")
      for (const headers of [{}, { "if-none-match": "*" }]) {
        const answer = yield* fetched(url, { headers })
        assert.strictEqual(answer.status, 200)
        assert.isTrue(answer.bytes.equals(JPEG))
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        assert.isNull(answer.headers.get("etag"))
      }
    })
  )

  it.effect("comes whole however large, and HEAD says how large", () =>
    Effect.gen(function* () {
      for (const length of [IMAGE_CHUNK_BYTES - 1, IMAGE_CHUNK_BYTES, IMAGE_CHUNK_BYTES + 1, IMAGE_BYTES]) {
        const jpeg = makeJpegOfLength(length, length & 0xff)
        const { url } = yield* shown("message", jpeg)
        assert.isTrue((yield* fetched(url)).bytes.equals(jpeg), `${length} bytes`)
        const head = yield* fetched(url, { method: "HEAD" })
        assert.deepStrictEqual([head.status, head.bytes.length], [200, 0])
        assert.strictEqual(head.headers.get("content-length"), String(length))
      }
    })
  )

  it.effect("is at its address alone, for as long as it is there", () =>
    Effect.gen(function* () {
      const { url, token } = yield* shown("message")
      const base = yield* BaseUrl
      assert.strictEqual((yield* fetched(`${url}?size=large`)).status, 200)
      yield* TestClock.setTime(NOW + IMAGE_UNCLAIMED_MS)
      const wrong = [
        url,
        toImageUrl(base, newImageToken()),
        `${base}/images/`,
        `${base}/images/${token}`,
        `${base}/images/${token}.png`,
        `${base}/images/${token.toUpperCase()}.jpg`,
        `${base}/images/%00.jpg`,
        `${url}/x`,
        `${url}.jpg`
      ]
      const nothing = yield* fetched(`${base}/images/`)
      for (const address of wrong) {
        const { status, headers, bytes } = yield* fetched(address)
        assert.deepStrictEqual([status, bytes.toString()], [404, nothing.bytes.toString()], address)
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.match(headers.get("content-type") ?? "", /^text\/plain/)
      }
      for (const method of ["POST", "PUT", "DELETE"]) {
        const refused = yield* fetched(url, { method })
        assert.deepStrictEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"])
      }
    })
  )

  it.effect(`is looked at ${IMAGE_VIEWS_A_MINUTE} times a minute, and then says when to come again`, () =>
    Effect.gen(function* () {
      const [one, other] = [yield* shown("message"), yield* shown("message")]
      const views = yield* Effect.forEach(Array.from({ length: IMAGE_VIEWS_A_MINUTE }), () => fetched(one.url), {
        concurrency: 5
      })
      assert.isTrue(views.every(({ status }) => status === 200))
      const refused = yield* fetched(one.url)
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, "40"])
      assert.strictEqual((yield* fetched(one.url, { headers: { "if-none-match": "*" } })).status, 429)
      assert.strictEqual((yield* fetched(other.url)).status, 200)
      yield* TestClock.setTime(NOW + 40_000)
      assert.strictEqual((yield* fetched(one.url)).status, 200)
    })
  )

  it.effect("whose bytes were not restored with the database is not there", () =>
    Effect.gen(function* () {
      const { url, operatorId } = yield* shown("message")
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM image_bytes WHERE operator_id = ${operatorId}`
      assert.strictEqual((yield* fetched(url)).status, 404)
    })
  )
})

describe("the door of images", () => {
  const image: OpenedImage = {
    operatorId: 1,
    id: 2,
    token: newImageToken(),
    kind: "message",
    bytes: 8 * IMAGE_CHUNK_BYTES
  }

  /** An image of eight pieces, of which those before `missing` can be read; says where each that is read begins. */
  const imagesWithout = (missing: number, read: Array<number> = []) =>
    Layer.succeed(Images, {
      put: () => Effect.die(new Error("nothing is put")),
      open: (token) => Effect.succeed(token === image.token ? Option.some(image) : Option.none()),
      read: (_, from) =>
        Effect.sync(() => {
          read.push(from / IMAGE_CHUNK_BYTES)
          return from / IMAGE_CHUNK_BYTES < missing ? Option.some(new Uint8Array(IMAGE_CHUNK_BYTES)) : Option.none()
        })
    })

  const asked = Effect.gen(function* () {
    const answer = yield* makeImageHandler
    const response = yield* answer(HttpServerRequest.fromWeb(new Request(toImageUrl("http://127.0.0.1", image.token))))
    return HttpServerResponse.toWeb(response, { context: yield* Effect.context() })
  })

  const lines: Array<string> = []
  const layerLog = Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))])

  const read: Array<number> = []
  layer(Layer.mergeAll(imagesWithout(8, read), RateWindows.layerMemory, ConcurrencyLimiter.layer(1)))((it) => {
    it.effect("reads no faster than the client receives, and holds no permit meanwhile", () =>
      Effect.gen(function* () {
        const slow = (yield* asked).body?.getReader()
        assert.isDefined(slow)
        yield* Effect.promise(() => slow?.read() ?? Promise.resolve())
        // What was read, and what the stream has ready behind it.
        assert.isAtMost(read.length, 3)
        const other = yield* asked
        assert.strictEqual((yield* Effect.promise(() => other.arrayBuffer())).byteLength, image.bytes)
        yield* Effect.promise(() => slow?.cancel() ?? Promise.resolve())
      })
    )
  })

  layer(Layer.mergeAll(imagesWithout(5), RateWindows.layerMemory, ConcurrencyLimiter.layer(), layerLog))((it) => {
    it.effect("ends in an error, not early, when a piece is missing, and neither log nor trace has an address", () =>
      Effect.gen(function* () {
        const { tracer, spans } = makeSpanRecorder()
        const ended = yield* asked.pipe(
          Effect.flatMap((response) => Effect.exit(Effect.tryPromise(() => response.arrayBuffer()))),
          Effect.provideService(Tracer.Tracer, tracer)
        )
        assert.strictEqual(ended._tag, "Failure")
        assert.isTrue(lines.some((line) => line.includes('"level":"ERROR"') && line.includes('"message":"defect"')))
        const told = `${lines.join("\n")}${JSON.stringify(spans.map(({ name, attributes }) => [name, ...attributes]))}`
        assert.include(told, "image")
        assert.notInclude(told, image.token.slice(8))
      })
    )
  })

  layer(Layer.mergeAll(imagesWithout(0), RateWindows.layerMemory, ConcurrencyLimiter.layer(), layerLog))((it) => {
    it.effect("says that there is none where its bytes are missing, and the log which it was", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* asked).status, 404)
        assert.isTrue(lines.some((line) => line.includes('"level":"WARN"') && line.includes('"image_id":2')))
      })
    )
  })
})
