import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { BaseUrl, layerServed } from "../server.ts"

const asked = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}${path}`, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})

layer(layerServed())("the OpenAPI documents", (it) => {
  it.effect.each([
    { path: "/v3/config.json", deployment: "international" },
    { path: "/v3/config.cn.json", deployment: "regional" }
  ])("$path is raw, for anybody, and tells of the $deployment deployment", ({ path, deployment }) =>
    Effect.gen(function* () {
      const { status, headers, text } = yield* asked(path)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      const document = JSON.parse(text)
      assert.strictEqual(document.openapi, "3.1.0")
      assert.strictEqual(document.servers[0].description, `The ${deployment} deployment`)
      const head = yield* asked(path, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text, head.headers.get("etag")], [200, "", headers.get("etag")])
    })
  )

  it.effect("are not sent again to who has them", () =>
    Effect.gen(function* () {
      const first = yield* asked("/v3/config.json")
      const etag = first.headers.get("etag") ?? ""
      assert.match(etag, /^"[\w-]+"$/)
      for (const named of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = yield* asked("/v3/config.json", { headers: { "if-none-match": named } })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
        assert.strictEqual(again.headers.get("etag"), etag)
      }
      const other = yield* asked("/v3/config.json", { headers: { "if-none-match": '"other"' } })
      assert.strictEqual(other.status, 200)
      assert.notStrictEqual((yield* asked("/v3/config.cn.json")).headers.get("etag"), etag)
    })
  )

  it.effect("may be asked for by pages of any origin, and by GET, HEAD and OPTIONS alone", () =>
    Effect.gen(function* () {
      const preflight = yield* asked("/v3/config.json", {
        method: "OPTIONS",
        headers: { origin: "https://any.example" }
      })
      assert.strictEqual(preflight.status, 204)
      for (const method of ["POST", "DELETE"]) {
        const { status, headers } = yield* asked("/v3/config.json", { method })
        assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
      }
      const { status, text } = yield* asked("/v3/config.yaml")
      assert.deepStrictEqual([status, JSON.parse(text).error_code], [200, 404])
    })
  )
})
