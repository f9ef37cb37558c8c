import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { GUEST_PORTAL_PREFIX } from "../../src/domain/bookings/check-in/guest-portal-url.ts"
import { SHARED_CALENDAR_PREFIX } from "../../src/domain/calendars/calendar-share-links/share-link-url.ts"
import { IMAGES_PATH_PREFIX } from "../../src/domain/guests/images/image-url.ts"
import { BaseUrl, layerHttpServer } from "../support/http-server.ts"

// Outside `/v3` the HTTP status tells the truth; where HTTPS is required every door says so in its own form.

const get = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}${path}`, init)
      const { status, headers } = response
      return { status, type: headers.get("content-type"), headers, text: await response.text() }
    })
  )

layer(layerHttpServer())("what is not there", (it) => {
  it.effect.each([
    { method: "GET", path: "/" },
    { method: "GET", path: "/v4/transactions" },
    { method: "POST", path: "/v30" },
    { method: "GET", path: "/.well-known/openid-configuration" },
    { method: "GET", path: "/.well-known/oauth-protected-resource/other" },
    { method: "POST", path: "/register" }
  ])("$method $path is 404 by its status, and an envelope", ({ method, path }) =>
    Effect.gen(function* () {
      const { status, type, headers, text } = yield* get(path, { method })
      assert.deepStrictEqual([status, type], [404, "application/json"])
      const { request_id, ...envelope } = JSON.parse(text)
      assert.strictEqual(headers.get("x-request-id"), request_id)
      assert.deepInclude(envelope, { error_code: 404, data: {} })
    })
  )

  it.effect("is no icon, which browsers ask for by themselves", () =>
    Effect.gen(function* () {
      const { status, headers, text } = yield* get("/favicon.ico")
      assert.deepStrictEqual([status, headers.get("cache-control"), text], [204, "public, max-age=86400", ""])
    })
  )

  it.effect("below /v3 is 404 by its envelope alone", () =>
    Effect.gen(function* () {
      const { status, text } = yield* get("/v3/nothing")
      assert.deepStrictEqual([status, JSON.parse(text).error_code], [200, 404])
    })
  )
})

layer(layerHttpServer({ requireHttps: true }))("plain HTTP where HTTPS is required", (it) => {
  it.effect("is an envelope below /v3", () =>
    Effect.gen(function* () {
      const { status, text } = yield* get("/v3/income_items")
      assert.strictEqual(status, 200)
      assert.deepInclude(JSON.parse(text), { error_code: 400, data: {} })
    })
  )

  it.effect("is a JSON-RPC error with its status at /mcp", () =>
    Effect.gen(function* () {
      const { status, type, headers, text } = yield* get("/mcp", { method: "POST", body: "{}" })
      assert.deepStrictEqual([status, type], [400, "application/json"])
      const { error, ...message } = JSON.parse(text)
      assert.deepStrictEqual(message, { jsonrpc: "2.0", id: null })
      assert.strictEqual(error.code, -32600)
      assert.match(error.message, /HTTPS/)
      assert.match(headers.get("x-request-id") ?? "", /^RT/)
    })
  )

  it.effect("is a page with its status where pages are, and plain text for a feed and an image", () =>
    Effect.gen(function* () {
      for (const prefix of [SHARED_CALENDAR_PREFIX, GUEST_PORTAL_PREFIX]) {
        const page = yield* get(`${prefix}anything`)
        assert.deepStrictEqual([page.status, page.type], [400, "text/html; charset=utf-8"])
        assert.match(page.text, /<h1>[^<]+<\/h1>\n<p>Use HTTPS/)
      }
      const feed = yield* get(`${SHARED_CALENDAR_PREFIX}anything.ics?part=1`)
      assert.strictEqual(feed.status, 400)
      assert.match(feed.type ?? "", /^text\/plain/)
      assert.match(feed.text, /^Use HTTPS/)
      const image = yield* get(`${IMAGES_PATH_PREFIX}anything.jpg`)
      assert.strictEqual(image.status, 400)
      assert.match(image.text, /^Use HTTPS/)
    })
  )

  it.effect("has its status elsewhere, and does not matter to a load balancer", () =>
    Effect.gen(function* () {
      for (const path of ["/.well-known/anything", "/.well-known/oauth-authorization-server"]) {
        const { status, text } = yield* get(path)
        assert.deepStrictEqual([status, JSON.parse(text).error_code], [400, 400])
      }
      assert.strictEqual((yield* get("/health/live")).status, 200)
    })
  )
})
