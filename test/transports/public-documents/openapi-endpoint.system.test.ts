import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Deployment } from "../../../src/platform/installation.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"

const send = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}${path}`, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})

layer(layerHttpServer())("the OpenAPI documents", (it) => {
  it.effect.each([
    { path: "/v3/config.json", deployment: "international" },
    { path: "/v3/config.cn.json", deployment: "regional" }
  ])("$path is raw, for anybody, and tells of the $deployment deployment", ({ path, deployment }) =>
    Effect.gen(function* () {
      const { status, headers, text } = yield* send(path)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      const document = JSON.parse(text)
      assert.strictEqual(document.openapi, "3.1.0")
      assert.include(document.info.description, `This is the ${deployment} deployment`)
      const head = yield* send(path, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text, head.headers.get("etag")], [200, "", headers.get("etag")])
    })
  )

  it.effect("name a server only for the deployment that serves them", () =>
    Effect.gen(function* () {
      const own = yield* send("/v3/config.json")
      const { servers } = JSON.parse(own.text)
      assert.deepStrictEqual(servers, [{ url: "http://127.0.0.1/v3", description: "The international deployment" }])
      const other = yield* send("/v3/config.cn.json")
      assert.notProperty(JSON.parse(other.text), "servers")
      assert.notInclude(other.text, "http://127.0.0.1/")
    })
  )

  it.effect("are not sent again to who has them", () =>
    Effect.gen(function* () {
      const first = yield* send("/v3/config.json")
      const etag = first.headers.get("etag") ?? ""
      assert.match(etag, /^"[\w-]+"$/)
      for (const named of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = yield* send("/v3/config.json", { headers: { "if-none-match": named } })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
        assert.strictEqual(again.headers.get("etag"), etag)
      }
      const other = yield* send("/v3/config.json", { headers: { "if-none-match": '"other"' } })
      assert.strictEqual(other.status, 200)
      assert.notStrictEqual((yield* send("/v3/config.cn.json")).headers.get("etag"), etag)
    })
  )

  it.effect("may be asked for by pages of any origin, and by GET, HEAD and OPTIONS alone", () =>
    Effect.gen(function* () {
      const preflight = yield* send("/v3/config.json", {
        method: "OPTIONS",
        headers: { origin: "https://any.example" }
      })
      assert.strictEqual(preflight.status, 204)
      for (const method of ["POST", "DELETE"]) {
        const { status, headers } = yield* send("/v3/config.json", { method })
        assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
      }
      const { status, text } = yield* send("/v3/config.yaml")
      assert.deepStrictEqual([status, JSON.parse(text).error_code], [200, 404])
    })
  )
})

layer(Layer.provide(layerHttpServer(), Layer.succeed(Deployment, "regional")))(
  "the OpenAPI documents of the regional deployment",
  (it) => {
    it.effect("name a server only for that deployment", () =>
      Effect.gen(function* () {
        const own = JSON.parse((yield* send("/v3/config.cn.json")).text)
        assert.deepStrictEqual(own.servers, [{ url: "http://127.0.0.1/v3", description: "The regional deployment" }])
        const other = yield* send("/v3/config.json")
        assert.notProperty(JSON.parse(other.text), "servers")
        assert.notInclude(other.text, "http://127.0.0.1/")
      })
    )
  }
)
