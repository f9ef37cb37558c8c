import { request as httpRequest } from "node:http"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import {
  FailureModeRequest,
  SandboxBookingRequest,
  SandboxChangeRequest,
  SandboxInquiryRequest,
  SandboxListingRequest,
  SandboxMessageRequest,
  SandboxMoneyRequest,
  SandboxOfferRequest,
  SandboxOrderRequest,
  SandboxReviewRequest
} from "../../../src/connectors/sandbox/marketplace-requests.ts"
import { SandboxAccess } from "../../../src/connectors/sandbox/SandboxAccess.ts"
import { SandboxConnector } from "../../../src/connectors/sandbox/SandboxConnector.ts"
import { MESSAGE_LENGTH } from "../../../src/platform/limits.ts"
import { layerSandboxEndpoint } from "../../../src/transports/sandbox-pages/sandbox-endpoint.ts"
import { MAX_FORM_BYTES } from "../../../src/transports/sandbox-pages/submitted-form.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../support/browser.ts"
import { layerSandboxTest } from "../../support/connectors/sandbox/sandbox-accounts.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { createOperator, layerTest } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer, layerHttpServerOf } from "../../support/http-server.ts"

const layerPage = (allowed: Layer.Layer<SandboxAccess>, publicUrl = "http://127.0.0.1:8080") =>
  layerHttpServerOf(layerTest).pipe(
    Layer.provideMerge(Layer.provideMerge(layerSandboxEndpoint(publicUrl), Layer.merge(layerSandboxTest, allowed))),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
  )

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** What a request is answered: fetch would not let a test say who it is. */
const sent = Effect.fnUntraced(function* (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = ""
) {
  const base = yield* BaseUrl
  return yield* Effect.callback<{
    readonly status: number
    readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
    readonly text: string
  }>((resume) => {
    const type = body === "" ? {} : { "content-type": "application/x-www-form-urlencoded" }
    const request = httpRequest(`${base}${path}`, { method, headers: { ...type, ...headers } }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, text }))
      )
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.end(body)
  })
})

const formOf = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString()

/** What the page says after a form was sent. */
const saidAfter = Effect.fnUntraced(function* (path: string, fields: Readonly<Record<string, string>>) {
  const { status, headers } = yield* sent("POST", path, {}, formOf(fields))
  const location = new URL(String(headers["location"]), "http://127.0.0.1")
  assert.deepStrictEqual([status, location.pathname], [303, "/sandbox"])
  return { done: location.searchParams.get("done"), error: location.searchParams.get("error") }
})

const opened = Effect.fn("opened")(function* (title: string) {
  const { operatorId } = yield* createOperator()
  const market = yield* Marketplace
  return yield* market.openListing({ operator_id: operatorId, channel_type: "booking.com", title, tax: 0, rooms: 9 })
})

const stay = (listing_id: string) => ({
  listing_id,
  check_in_date: inDays(10),
  check_out_date: inDays(12),
  guest_name: "Ana Reis"
})

layer(layerPage(SandboxAccess.layerAlways), { excludeTestServices: true })("the page of the sandbox", (it) => {
  it.effect("books by a form of four fields, wherever it is sent to, and does all else that guests do", () =>
    Effect.gen(function* () {
      const { listing_id } = yield* opened("Harbour view")
      yield* saidAfter("/sandbox", stay(listing_id))
      const { done } = yield* saidAfter("/sandbox/book", stay(listing_id))
      const [, order_id = ""] = /^Order (\d+) .*: accepted, 200 EUR, 0 paid;/.exec(done ?? "") ?? []
      const after = Effect.fnUntraced(function* (act: string, fields: Readonly<Record<string, string>> = {}) {
        const { done, error } = yield* saidAfter(`/sandbox/${act}`, { order_id, ...fields })
        if (error !== null) return fieldOfError({ error_msg: error })
        // `Order 12 is paid: accepted, 300 EUR, 300 paid; …`
        const [, order, state] = /^Order (\S+) .*: ([^;]*);/.exec(done ?? "") ?? []
        assert.strictEqual(order, order_id)
        return state
      })
      const none = { order_id, check_in_date: "", check_out_date: "", listing_id: "", adults: "" }
      const { error } = yield* saidAfter("/sandbox/change", none)
      for (const field of ["check_in_date", "check_out_date", "listing_id", "adults"]) assert.include(error, field)
      assert.deepStrictEqual(
        [
          yield* after("change", { check_in_date: "", check_out_date: inDays(13), listing_id: "" }),
          yield* after("pay", { amount: "50.50" }),
          yield* after("pay", { amount: "" }),
          yield* after("refund", { amount: "1" }),
          yield* after("cancel"),
          yield* after("cancel"),
          yield* after("time-out")
        ],
        [
          "accepted, 300 EUR, 0 paid",
          "accepted, 300 EUR, 50.5 paid",
          "accepted, 300 EUR, 300 paid",
          "accepted, 300 EUR, 299 paid",
          "cancelled, 300 EUR, 299 paid",
          "order_id",
          "order_id"
        ]
      )
      const wrong = yield* saidAfter("/sandbox/book", { ...stay(listing_id), check_in_date: "tomorrow" })
      assert.strictEqual(fieldOfError({ error_msg: wrong.error ?? "" }), "check_in_date")
    })
  )

  it.effect("shows what is said and sold, and nothing that somebody wrote as HTML", () =>
    Effect.gen(function* () {
      const { listing_id, operator_id } = yield* opened("<b>Loft</b>")
      yield* saidAfter("/sandbox/book", { ...stay(listing_id), guest_name: "<script>alert(1)</script>" })
      const { text, headers } = yield* sent("GET", `/sandbox?operator=${operator_id}&error=%3Cb%3E`)
      assert.include(text, "&lt;script&gt;alert(1)&lt;/script&gt;")
      assert.notInclude(text, "<script")
      assert.notInclude(text, "<b>Loft")
      assert.include(text, `role="alert">&lt;b&gt;<`)
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.match(String(headers["content-security-policy"]), /form-action 'self'; frame-ancestors 'none'$/)
    })
  )

  it.effect("has a field for each thing that can be asked, which is heeded", () =>
    Effect.gen(function* () {
      const { operator_id } = yield* opened("Harbour view")
      const listing = { listing_id: `L-${operator_id}`, channel_type: "vrbo", operator_id: String(operator_id) }
      const asked = { username: "pier", title: "Loft", currency: "GBP", base_price: "80", cleaning_fee: "20" }
      const terms = { commission: "7", tax: "5", rooms: "3", instant: "1" }
      yield* saidAfter("/sandbox/open", { ...listing, ...asked, ...terms })
      const { done } = yield* saidAfter("/sandbox/book", { ...stay(""), ...listing, adults: "1", children: "2" })
      const [, order_id = ""] = /^Order (\S+) is booked: accepted, 189 GBP, 0 paid;/.exec(done ?? "") ?? []
      assert.match((yield* saidAfter("/sandbox/pay", { order_id, amount: "9" })).done ?? "", /, 9 paid;/)
      // Five are more than there is room for: children were counted, and the adults are another number now.
      assert.match((yield* saidAfter("/sandbox/change", { order_id, adults: "3" })).error ?? "", /\b4 guests/)
      yield* saidAfter("/sandbox/open", { ...listing, ...asked, listing_id: `R-${operator_id}`, instant: "0" })
      yield* saidAfter("/sandbox/book", { ...stay(""), ...listing, listing_id: `R-${operator_id}` })

      const { text } = yield* sent("GET", `/sandbox?operator=${operator_id}`)
      assert.include(text, "pier of ")
      assert.include(text, "instant booking · 3 rooms · 7 % commission · 5 % tax")
      const forms = Array.from(text.matchAll(/<form [^>]*action="\/sandbox\/([\w-]+)[\s\S]*?<\/form>/g))
      // A guest writes in a thread by one form, and by another in that of an order.
      const fieldsOf = (act: string) => {
        const form = forms.flatMap(([form, name]) => (name === act ? [form] : [])).join("")
        const names = form.matchAll(/<(?:input|select|textarea) [^>]*?name="(\w+)"/g)
        return Array.from(new Set(Array.from(names, ([, name]) => name))).toSorted()
      }
      for (const [act, { fields }] of [
        ["open", SandboxListingRequest],
        ["book", SandboxBookingRequest],
        ["change", SandboxChangeRequest],
        ["pay", SandboxMoneyRequest],
        ["refund", SandboxMoneyRequest],
        ["cancel", SandboxOrderRequest],
        ["time-out", SandboxOrderRequest],
        ["inquire", SandboxInquiryRequest],
        ["write", SandboxMessageRequest],
        ["mood", FailureModeRequest]
      ] as const) {
        assert.deepStrictEqual(fieldsOf(act), Object.keys(fields).toSorted(), act)
      }
    })
  )

  it.effect("lets a guest ask, write, answer an offer and review, and shows what was said as it was said", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const market = yield* Marketplace
      const sandbox = yield* SandboxConnector
      const channel_type = "airbnb"
      const opened = yield* market.openListing({ operator_id: operatorId, channel_type, tax: 0, rooms: 3 })
      const { listing_id, channel_account_id: accountId } = opened
      const there = { operatorId, accountId, channelType: channel_type, originAccountId: "sandbox-host" }
      const page = Effect.map(sent("GET", `/sandbox?operator=${operatorId}`), ({ text, headers }) => ({
        text,
        headers
      }))
      const asked = yield* saidAfter("/sandbox/inquire", { ...stay(listing_id), text: "مرحبا\r\n  <i>هنا</i> 🙏" })
      const [, threadId = ""] = /\bthread (\d+);/.exec(asked.done ?? "") ?? []
      const thread = { thread_id: threadId, operator_id: String(operatorId), channel_type }
      yield* saidAfter("/sandbox/write", { ...thread, text: "😀".repeat(MESSAGE_LENGTH) })
      const tooLong = yield* saidAfter("/sandbox/write", { ...thread, text: "😀".repeat(MESSAGE_LENGTH + 1) })
      assert.match(tooLong.error ?? "", new RegExp(`^text: .*\\b${MESSAGE_LENGTH} characters`))
      yield* saidAfter("/sandbox/write", { ...thread, text: "See", attachment_url: "https://elsewhere.example/a.jpg" })
      const send = (messageId: string, text: string, imageUrl: string | null) =>
        sandbox.sendMessage(there, { threadId, messageId, text, imageUrl, again: false })
      yield* send(
        "M-1",
        "We have a lift & <b>stairs</b>",
        "http://127.0.0.1:8080/images/lkimage_0123456789abcdefghjkmnpqrs.jpg"
      )
      yield* send("M-2", "", "http://127.0.0.1:8080/images/../sandbox/x.jpg")
      const offer = (reference: string, offerType: "special_offer" | "preapproval", price: number | null) =>
        sandbox.sendOffer(there, {
          threadId,
          reference,
          offerType,
          listingId: listing_id,
          ratePlanId: null,
          checkInDate: inDays(20),
          checkOutDate: inDays(22),
          numberOfAdults: 2,
          numberOfChildren: 0,
          numberOfInfants: 0,
          numberOfPets: 0,
          price,
          currency: null
        })
      const [special, preapproval] = [
        yield* offer("O-1", "special_offer", 90),
        yield* offer("O-2", "preapproval", null)
      ]
      const seen = yield* page
      for (const words of [
        `<p class="words" dir="auto">مرحبا\n  &lt;i&gt;هنا&lt;/i&gt; 🙏</p>`,
        "We have a lift &amp; &lt;b&gt;stairs&lt;/b&gt;",
        `<img src="/images/lkimage_0123456789abcdefghjkmnpqrs.jpg"`,
        `<a href="https://elsewhere.example/a.jpg" rel="noreferrer noopener">`,
        `<a href="http://127.0.0.1:8080/images/../sandbox/x.jpg" rel="noreferrer noopener">`,
        "asks about listing",
        "Special offer",
        "Pre-approval"
      ]) {
        assert.include(seen.text, words)
      }
      assert.include(seen.text, "😀".repeat(MESSAGE_LENGTH))
      assert.match(String(seen.headers["content-security-policy"]), /^default-src 'none'; .*; img-src 'self'; /)

      const answers = Array.from(seen.text.matchAll(/<form [^>]*action="\/sandbox\/\w+-offer[\s\S]*?<\/form>/g))
      assert.lengthOf(answers, 4)
      for (const [answer] of answers) {
        const names = Array.from(answer.matchAll(/name="(\w+)"/g), ([, name]) => name)
        assert.sameMembers(names, Object.keys(SandboxOfferRequest.fields))
      }
      const whose = { operator_id: String(operatorId), channel_type }
      const declined = yield* saidAfter("/sandbox/decline-offer", { ...whose, offer_id: preapproval.offerId })
      assert.include(declined.done, `${preapproval.offerId}: declined;`)
      const { done } = yield* saidAfter("/sandbox/accept-offer", { ...whose, offer_id: special.offerId })
      const [, order_id = ""] = /^Order (\w+) .*: accepted, 90 EUR, 0 paid;/.exec(done ?? "") ?? []
      const early = { ...whose, order_id, score: "4.5", text: "Lovely", sub_scores: "cleanliness=5" }
      const tooEarly = yield* saidAfter("/sandbox/review", early)
      assert.strictEqual(fieldOfError({ error_msg: tooEarly.error ?? "" }), "order_id")
      assert.notInclude((yield* page).text, `action="/sandbox/review`)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE sandbox_orders SET said = jsonb_set(said, '{rooms,0,check_out_date}', to_jsonb(${inDays(-1)}::text))
        WHERE operator_id = ${operatorId} AND order_id = ${order_id}`
      const forms = Array.from((yield* page).text.matchAll(/<form [^>]*action="\/sandbox\/([\w-]+)[\s\S]*?<\/form>/g))
      const [form = ""] = forms.find(([, name]) => name === "review") ?? []
      assert.deepStrictEqual(
        Array.from(form.matchAll(/name="(\w+)"/g), ([, name]) => name).toSorted(),
        Object.keys(SandboxReviewRequest.fields).toSorted()
      )
      const { done: reviewed } = yield* saidAfter("/sandbox/review", early)
      assert.match(reviewed ?? "", new RegExp(`\\b${order_id}\\b.*\\b4\\.5 of 5;`))
      const over = yield* page
      assert.include(over.text, `Guest: 4.5 of 5, cleanliness 5 <span class="words" dir="auto">Lovely</span>`)
      assert.notInclude(over.text, `action="/sandbox/accept-offer`)
    })
  )

  it.effect("takes forms of its own alone, under names of its own alone, and small ones", () =>
    Effect.gen(function* () {
      const { listing_id } = yield* opened("Harbour view")
      const base = new URL(yield* BaseUrl)
      const body = formOf(stay(listing_id))
      const post = (headers: Readonly<Record<string, string>>, form = body) =>
        Effect.map(sent("POST", "/sandbox/book", headers, form), ({ status }) => status)
      const get = (host: string) => Effect.map(sent("GET", "/sandbox", { host }), ({ status }) => status)
      const own = { origin: base.origin, "sec-fetch-site": "same-origin" }
      assert.deepStrictEqual(
        [
          yield* post(own),
          yield* post({ origin: "http://localhost:8080", host: "localhost:8080" }),
          yield* post({ origin: "https://evil.example" }),
          yield* post({ origin: "null" }),
          yield* post({ "sec-fetch-site": "cross-site" }),
          yield* post({ "sec-fetch-site": "same-site" }),
          yield* post({ host: "evil.example", origin: "http://evil.example" }),
          yield* post({ "content-type": "text/plain" }),
          yield* post(own, `${body}&remarks=${"a".repeat(MAX_FORM_BYTES - body.length - "&remarks=".length)}`),
          yield* post(own, `${body}&remarks=${"a".repeat(MAX_FORM_BYTES - body.length - "&remarks=".length + 1)}`)
        ],
        [303, 303, 403, 403, 403, 403, 403, 400, 303, 400]
      )
      assert.deepStrictEqual(
        [yield* get(base.host), yield* get("localhost:1"), yield* get("[::1]:1"), yield* get("evil.example")],
        [200, 200, 200, 403]
      )
      const unknown = yield* Effect.forEach(["GET", "POST"], (method) => sent(method, "/sandbox/whatever"))
      assert.deepStrictEqual(
        unknown.map(({ status }) => status),
        [404, 404]
      )
    })
  )
})

for (const [where, allowed, publicUrl] of [
  ["where there is no sandbox", SandboxAccess.layerNever, undefined],
  ["where others reach the service, be the sandbox there,", SandboxAccess.layerAlways, "http://pms.example:8080"],
  ["where a proxy in front has the name of this machine", SandboxAccess.layerAlways, "https://127.0.0.1"]
] as const) {
  layer(layerPage(allowed, publicUrl), { excludeTestServices: true })(where, (it) => {
    it.effect("its page is any path that nobody knows, under whatever name it is asked", () =>
      Effect.gen(function* () {
        const told = (method: string, path: string, host = "localhost:8080") =>
          Effect.map(sent(method, path, { host }, method === "POST" ? formOf(stay("x")) : ""), ({ status, text }) => [
            status,
            text.replace(/RT\w+/, "")
          ])
        for (const host of ["localhost:8080", "pms.example:8080"]) {
          assert.deepStrictEqual(yield* told("GET", "/sandbox", host), yield* told("GET", "/nowhere", host))
          assert.deepStrictEqual(yield* told("POST", "/sandbox/book", host), yield* told("POST", "/nowhere", host))
        }
        assert.strictEqual((yield* told("GET", "/sandbox"))[0], 404)
      })
    )
  })
}

layer(layerHttpServer().pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))))(
  "unless a process has one",
  (it) => {
    it.effect("there is no page", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* sent("GET", "/sandbox")).status, 404)
      })
    )
  }
)

describe.skipIf(!hasChromium)(withChromiumNote("the page of the sandbox in a browser"), () => {
  layer(Layer.merge(layerPage(SandboxAccess.layerAlways), Browser.layer), { excludeTestServices: true })((it) => {
    for (const [name, options] of [
      ["a desk", { viewport: DESKTOP_VIEWPORT }],
      ["a phone in the dark", { viewport: PHONE_VIEWPORT, colorScheme: "dark" }]
    ] as const) {
      it.effect(`on ${name} lets a person book, and see it`, () =>
        Effect.gen(function* () {
          const { listing_id, operator_id } = yield* opened("Harbour view")
          const base = yield* BaseUrl
          const page = yield* openPage(options)
          const fields = stay(listing_id)
          yield* Effect.promise(async () => {
            await page.goto(`${base}/sandbox?operator=${operator_id}`)
            const form = page.locator("form[action^='/sandbox/book']")
            await form.locator("summary").click()
            await form.getByLabel("Channel").selectOption("booking.com")
            await form.getByLabel("Children").fill("1")
            for (const [field, value] of Object.entries(fields)) await form.locator(`[name=${field}]`).fill(value)
            await form.getByRole("button").click()
            await page.getByRole("status").waitFor()
          })
          const seen = yield* Effect.promise(async () => ({
            said: await page.getByRole("status").innerText(),
            orders: await page.locator("#orders").innerText(),
            wide: await page.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth")
          }))
          assert.include(seen.said, ": accepted,")
          assert.include(seen.orders, `listing ${listing_id}`)
          assert.isFalse(seen.wide)
          yield* Effect.promise(async () => {
            const form = page.locator("form[action^='/sandbox/inquire']")
            for (const [field, value] of Object.entries(fields)) await form.locator(`[name=${field}]`).fill(value)
            await form.getByLabel("What the guest writes").fill("Há elevador? مرحبا 👋")
            await form.getByRole("button").click()
            await page.getByText("Written in thread").waitFor()
          })
          assert.include(yield* Effect.promise(() => page.locator("#threads").innerText()), "Há elevador? مرحبا 👋")
          // What is folded away is looked at too.
          yield* Effect.promise(async () => {
            await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
          })
          assert.isFalse(
            yield* Effect.promise(() =>
              page.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth")
            )
          )
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        }).pipe(Effect.scoped)
      )
    }
  })
})
