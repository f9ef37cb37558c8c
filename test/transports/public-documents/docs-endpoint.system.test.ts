import { request } from "node:http"
import { text } from "node:stream/consumers"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerDocs, TryPageToken } from "../../../src/transports/public-documents/docs-endpoint.ts"
import { layerTest } from "../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../support/http-server.ts"

// The door of the documentation: what is there, how it is kept, and who is given the token of the page for trying.

const layerHere = (publicUrl: string, token: string | undefined) =>
  layerHttpServerOf(layerTest, { publicUrl }).pipe(
    Layer.provide(Layer.provide(layerDocs(publicUrl), NodeServices.layer)),
    Layer.provide(Layer.succeed(TryPageToken, Effect.succeed(token)))
  )

const asked = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}${path}`, { redirect: "manual", ...init })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  )

/** The page as a browser gets it that knows this machine by another name. */
const askedAs = (host: string, path: string) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.callback<string>((resume) => {
      const sent = request(`${base}${path}`, { headers: { host } }, (response) => {
        void text(response).then((page) => resume(Effect.succeed(page)))
      })
      sent.end()
    })
  )

layer(layerHere("http://127.0.0.1:8080", "lk_of_the_demo"))("the documentation", (it) => {
  it.effect("is at /docs, page by page", () =>
    Effect.gen(function* () {
      for (const [path, type] of [
        ["/docs/", "text/html; charset=utf-8"],
        ["/docs/index.html", "text/html; charset=utf-8"],
        ["/docs/reference/search_transactions.html", "text/html; charset=utf-8"],
        ["/docs/reference/search_transactions.md", "text/markdown; charset=utf-8"],
        ["/docs/reference/mcp-tools-reference.md", "text/markdown; charset=utf-8"],
        ["/docs/llms.txt", "text/plain; charset=utf-8"],
        ["/docs/llms-full.txt", "text/plain; charset=utf-8"],
        ["/docs/search.json", "application/json"],
        ["/docs/openapi.json", "application/json"],
        ["/docs/assets/site.css", "text/css; charset=utf-8"],
        ["/docs/assets/swagger-ui.js", "text/javascript; charset=utf-8"],
        ["/docs/examples/connector.mjs", "text/javascript; charset=utf-8"]
      ] as const) {
        const { status, headers, text } = yield* asked(path)
        assert.deepStrictEqual([status, headers.get("content-type")], [200, type], path)
        assert.isNotEmpty(text, path)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("access-control-allow-origin"), "*")
        assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
      }
    })
  )

  it.effect("leads on who leaves an ending out", () =>
    Effect.gen(function* () {
      const docs = yield* asked("/docs")
      assert.deepStrictEqual([docs.status, docs.headers.get("location")], [308, "docs/"])
      const root = yield* asked("/")
      assert.deepStrictEqual([root.status, root.headers.get("location")], [308, "docs/"])
      const page = yield* asked("/docs/reference/rate-limits")
      assert.deepStrictEqual([page.status, page.headers.get("location")], [308, "rate-limits.html"])
    })
  )

  it.effect("need not be sent to who has it", () =>
    Effect.gen(function* () {
      const { headers } = yield* asked("/docs/reference/rate-limits.html")
      const again = yield* asked("/docs/reference/rate-limits.html", {
        headers: { "if-none-match": headers.get("etag") ?? "" }
      })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
    })
  )

  it.effect("has nothing else, wherever it is looked for, and takes nothing", () =>
    Effect.gen(function* () {
      for (const path of [
        "/docs/nothing",
        "/docs/reference/nothing.html",
        "/docs/assets/",
        "/docs/assets/../page.ts",
        "/docs/assets/%2e%2e/page.ts",
        "/docs/examples/..%2f..%2fpackage.json",
        "/docs/examples/",
        "/docs//index.html",
        "/docs/__proto__",
        "/docs/assets/constructor",
        "/docsx"
      ]) {
        assert.strictEqual((yield* asked(path)).status, 404, path)
      }
      const posted = yield* asked("/docs/llms.txt", { method: "POST", body: "x" })
      assert.deepStrictEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
    })
  )

  it.effect("fills in the demo's token for who came by a name of this machine alone, and lets nobody keep it", () =>
    Effect.gen(function* () {
      const page = yield* asked("/docs/try.html")
      assert.include(page.text, 'data-token="lk_of_the_demo"')
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      assert.isNull(page.headers.get("access-control-allow-origin"))
      assert.notInclude(yield* askedAs("evil.example", "/docs/try.html"), "lk_of_the_demo")
      assert.include(yield* askedAs("localhost:8080", "/docs/try.html"), "lk_of_the_demo")
      const passedOn = yield* asked("/docs/try.html", { headers: { "x-forwarded-for": "203.0.113.9" } })
      assert.notInclude(passedOn.text, "lk_of_the_demo")
    })
  )
})

layer(layerHere("https://api.example.com", undefined))("the documentation elsewhere", (it) => {
  it.effect("asks for a token", () =>
    Effect.gen(function* () {
      const { text } = yield* asked("/docs/try.html")
      assert.notInclude(text, "data-token")
      assert.include(text, "paste an access token")
    })
  )
})
