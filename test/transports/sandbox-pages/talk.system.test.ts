import { assert, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect, Layer, Predicate, References } from "effect"
import { SqlClient } from "effect/sql"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { layerSandboxEndpoint } from "../../../src/transports/sandbox-pages/sandbox-endpoint.ts"
import { Browser, hasChromium, openPage, PHONE_VIEWPORT, withChromiumNote } from "../../support/browser.ts"
import { layerServiceWithSandbox } from "../../support/connectors/sandbox/service-with-sandbox.ts"
import { createOperator, insertProperty } from "../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../support/http-server.ts"
import { JPEG_BASE64 } from "../../support/jpegs.ts"

// A person writes as a guest on the page of the marketplace, an agent answers by its tools, and the guest sees it.

const layerTalking = layerHttpServerOf(layerServiceWithSandbox).pipe(
  Layer.provideMerge(layerSandboxEndpoint("http://127.0.0.1:8080").pipe(Layer.provideMerge(layerServiceWithSandbox))),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** A flat on sale at a marketplace that takes offers, and an agent of its host. */
const hosted = Effect.gen(function* () {
  const { operatorId, token } = yield* createOperator()
  const property = yield* insertProperty(operatorId, "Harbour view")
  const market = yield* Marketplace
  const { listing_id } = yield* market.openListing({
    operator_id: operatorId,
    channel_type: "airbnb",
    base_price: 100,
    instant: true,
    tax: 0
  })
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE listings SET property_id = ${property} WHERE operator_id = ${operatorId} AND listing_id = ${listing_id}`
  const base = yield* BaseUrl
  const agent = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } })
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }))
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )
  /** The data that a tool answers, as JSON has it. */
  const tool = (name: string, fields: Record<string, unknown>) =>
    Effect.promise(async () => {
      const { content } = await agent.callTool({ name, arguments: fields })
      const [first] = Array.isArray(content) ? content : []
      const text: unknown = Predicate.hasProperty(first, "text") ? first.text : undefined
      const envelope: unknown = JSON.parse(String(text))
      assert.isTrue(Predicate.hasProperty(envelope, "error_code") && envelope.error_code === 0, String(text))
      return Predicate.hasProperty(envelope, "data") ? envelope.data : undefined
    })
  return { base, listing_id, tool }
})

const WORDS = "É possível chegar às 23h? مرحبا 👩‍👩‍👧 <b>obrigada</b>"

layer(layerTalking, { excludeTestServices: true })("a guest and an agent", (it) => {
  it.effect.skipIf(!hasChromium)(
    withChromiumNote("talk: what one writes on the page of the marketplace the other reads and answers by a tool"),
    () =>
      Effect.gen(function* () {
        const { base, listing_id, tool } = yield* hosted
        const page = yield* openPage({ viewport: PHONE_VIEWPORT, javaScriptEnabled: false })
        yield* Effect.promise(async () => {
          await page.goto(`${base}/sandbox`)
          const ask = page.locator("form[action*='/sandbox/inquire']").first()
          await ask.evaluate((form) => form.closest("details")?.setAttribute("open", ""))
          const fields = {
            listing_id,
            check_in_date: inDays(30),
            check_out_date: inDays(32),
            guest_name: "Ana Reis",
            text: WORDS
          }
          for (const [name, value] of Object.entries(fields)) await ask.locator(`[name=${name}]`).fill(value)
          await ask.locator("button[type=submit], button:not([type])").first().click()
        })
        const inbox = yield* tool("query_conversations", {})
        const id = /"id":"([^"]+)"/.exec(JSON.stringify(inbox))?.[1] ?? ""
        const thread = JSON.stringify(yield* tool("get_conversation", { id }))
        assert.include(thread, JSON.stringify(WORDS))
        yield* tool("send_message", { id, message: "Claro & até já 🙂", jpeg_base64: JPEG_BASE64 })
        const sent = Effect.map(tool("get_conversation", { id }), (seen) =>
          JSON.stringify(seen).includes('"delivery":"sent"')
        )
        while (!(yield* sent)) yield* Effect.yieldNow
        const seen = yield* Effect.promise(async () => {
          await page.goto(`${base}/sandbox`)
          const width = await page.evaluate("document.querySelector('.talk img').naturalWidth")
          return { words: await page.locator(".talk").first().locator(".words").allTextContents(), width }
        })
        assert.deepStrictEqual(seen, { words: [WORDS, "Claro & até já 🙂"], width: 24 })
      }).pipe(Effect.provide(Browser.layer))
  )
})
