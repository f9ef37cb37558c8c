import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { IMAGE_BODY_BYTES } from "../../src/platform/limits.ts"
import { orWithout, programNamed } from "./programs.ts"
import { caddy, nginx, Proxied, saidOfAway, through } from "./proxied.ts"

// What callers do, through the proxies whose files are handed over.

/** Registrations that one network may make in a minute (docs/reference/rate-limits.md). */
const REGISTRATIONS = 30

type There = Proxied["Service"]

const rest = async ({ base, token }: There, method: string, path: string, body?: string) => {
  const headers = { "Service-Access-Token": token, "Content-Type": "application/json" }
  const response = await fetch(`${base}/v3${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  return { status: response.status, told: await response.text() }
}

const signIn = async ({ base, email, password }: There) => {
  const form = await fetch(`${base}/console`)
  const cookie = form.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
  const [, token = ""] = /name="form_token" value="([^"]+)"/.exec(await form.text()) ?? []
  const filledIn = new URLSearchParams({ form_token: token, next: "", email, password, act: "sign_in" })
  const headers = { cookie, origin: base }
  const sent = await fetch(`${base}/console`, { method: "POST", headers, body: filledIn, redirect: "manual" })
  const cookies = sent.headers.getSetCookie().map((each) => each.split(";", 1)[0])
  const page = await fetch(`${base}/console/overview`, { headers: { cookie: cookies.join("; ") } })
  return { cookie, redirected: sent.headers.get("location"), page: await page.text() }
}

const toolCalled = async ({ base, token }: There) => {
  const client = new Client({ name: "test", version: "1" })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }))
  const { content } = await client.callTool({ name: "list_properties", arguments: {} })
  await client.close()
  return JSON.stringify(content)
}

/**
 * Registers redirect addresses until it is refused, each time as if it had come from elsewhere; answers the last status. Twice as
 * many as a minute takes, as a minute may begin meanwhile.
 */
const registeredFromAfar = async ({ base }: There): Promise<number> => {
  for (let nth = 0; nth <= 2 * REGISTRATIONS; nth++) {
    const response = await fetch(`${base}/v3/oauth/registrations`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Forwarded-For": `203.0.${nth}.7` },
      body: JSON.stringify({ redirect_uris: ["http://127.0.0.1:53682/callback"] })
    })
    const { error_code } = JSON.parse(await response.text())
    if (error_code !== 0) return error_code
  }
  return 0
}

/** Over plain HTTP, with a name of its own: a browser of this process would follow. */
const plainly = (url: string, headers: Record<string, string>) =>
  new Promise<{ readonly status: number | undefined; readonly location: string | undefined; readonly told: string }>(
    (resolve, reject) =>
      request(url, { headers }, async (response) =>
        resolve({ status: response.statusCode, location: response.headers.location, told: await text(response) })
      )
        .on("error", reject)
        .end()
  )

const serves = Effect.gen(function* () {
  const there = yield* Proxied
  const properties = yield* Effect.promise(() => rest(there, "GET", "/properties"))
  assert.deepInclude(JSON.parse(properties.told), { error_code: 0 })

  assert.include(yield* Effect.promise(() => toolCalled(there)), "properties")

  const signedIn = yield* Effect.promise(() => signIn(there))
  assert.match(signedIn.cookie, /^__Host-latchkey=/)
  assert.strictEqual(signedIn.redirected, "/console/calendar")
  assert.include(signedIn.page, "To do")

  // Nothing comes for a while, and then the answer does.
  const before = performance.now()
  const waited = yield* Effect.promise(() => rest(there, "GET", "/events?types=transaction_deleted&wait=1"))
  assert.deepInclude(JSON.parse(waited.told), { error_code: 0 }, waited.told)
  assert.isAtLeast(performance.now() - before, 900)

  // As much as the service reads is passed on, and what is more is refused in the service's words.
  const body = (bytes: number) => JSON.stringify({ message: "x".repeat(bytes) })
  const large = yield* Effect.promise(() => rest(there, "POST", "/conversations/none", body(IMAGE_BODY_BYTES - 100)))
  const larger = yield* Effect.promise(() => rest(there, "POST", "/conversations/none", body(IMAGE_BODY_BYTES + 100)))
  assert.include([404, 422], JSON.parse(large.told).error_code, large.told)
  assert.deepInclude(JSON.parse(larger.told), { error_code: 400 }, larger.told)

  // Who calls is who connected, whatever they say of themselves.
  assert.strictEqual(yield* Effect.promise(() => registeredFromAfar(there)), 429)
})

const programs = { openssl: programNamed("openssl"), nginx: programNamed("nginx"), caddy: programNamed("caddy") }
const missing = Object.entries(programs).flatMap(([name, program]) => (program === undefined ? [name] : []))
const without = (name: "nginx" | "caddy") => missing.filter((each) => each === name || each === "openssl")

const layerThere = Proxied.layer(programs.openssl ?? "")

layer(layerThere, { excludeTestServices: true })("behind a proxy that runs with what is handed over", (it) => {
  it.effect.skipIf(without("nginx").length > 0)(
    orWithout(
      without("nginx"),
      "nginx passes REST, MCP, the console, long waits and large bodies, logs no path and refuses plain HTTP"
    ),
    () =>
      Effect.gen(function* () {
        yield* through(nginx(programs.nginx ?? ""))
        yield* serves
        const { place, plain } = yield* Proxied
        const [log = "", errors] = ["latchkey.log", "latchkey-error.log"].map((name) =>
          readFileSync(join(place.folder, name), "utf8")
        )
        assert.match(log, /^127\.0\.0\.1 \S+ GET 200 \d+ \d+\.\d+ 127\.0\.0\.1:\d+ RT\d+/m)
        assert.notMatch(`${log}${errors}`, /v3|console|mcp|events/)
        const called = yield* Effect.promise(() => plainly(`${plain}/v3/properties`, { "X-Forwarded-Proto": "https" }))
        assert.deepStrictEqual([called.status, called.told.includes("Use HTTPS")], [403, true])
        const page = yield* Effect.promise(() => plainly(`${plain}/console`, {}))
        assert.deepStrictEqual([page.status, page.location], [301, "https://localhost/console"])
      }).pipe(Effect.scoped)
  )

  it.effect.skipIf(without("caddy").length > 0)(
    orWithout(
      without("caddy"),
      "Caddy passes REST, MCP, the console, long waits and large bodies, and leads plain HTTP to HTTPS"
    ),
    () =>
      Effect.gen(function* () {
        yield* through(caddy(programs.caddy ?? ""))
        yield* serves
        const { plain } = yield* Proxied
        const page = yield* Effect.promise(() => plainly(`${plain}/v3/properties`, {}))
        assert.strictEqual(page.status, 308)
        const secrets = { "Service-Access-Token": "lk_SECRETTOKEN" }
        const { status, said } = yield* saidOfAway(
          caddy(programs.caddy ?? ""),
          "/guests/lkguest_SECRETADDRESS",
          secrets
        )
        assert.include([502, 503], status)
        assert.include(said, "serving initial configuration")
        assert.notInclude(said, "SECRET")
      }).pipe(Effect.scoped)
  )
})
