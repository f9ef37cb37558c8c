import { randomBytes } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { PasswordCost } from "../../../src/domain/access/operators/password.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../support/browser.ts"
import {
  CHEAP_PASSWORD_COST,
  createSignInAccount,
  PASSWORD
} from "../../support/domain/access/sign-in/sign-in-accounts.ts"
import { connectClient, createPartner } from "../../support/domain/webhooks/subscriptions/connected-client.ts"
import { createAccessToken } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"

const layerLooked = Layer.merge(layerHttpServer({ trustProxy: true }), Browser.layer).pipe(
  Layer.provideMerge(Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST))
)

// Others on the database of the tests sign in from this machine, by clocks of their own.
const OWN_PLACE = { extraHTTPHeaders: { "x-forwarded-for": `2001:db8:${randomBytes(2).toString("hex")}::1` } }

const done = (act: () => Promise<unknown>) => Effect.asVoid(Effect.promise(act))

const signIn = Effect.fnUntraced(function* (page: Page, email: string, password: string) {
  const base = yield* BaseUrl
  yield* done(async () => {
    await page.goto(`${base}/console`)
    await page.fill("[name=email]", email)
    await page.fill("[name=password]", password)
    await page.click("[value=sign_in]")
  })
})

/** What has the focus: its name or value, its words, or its element. */
const focused = (page: Page) =>
  Effect.promise(() =>
    page.evaluate<string>(
      `(() => { const at = document.activeElement; return at.getAttribute("name") === "act" ? at.value : at.getAttribute("name") ?? (at.textContent.trim() || at.localName) })()`
    )
  )

/** Pixels of a page that stand out of a window that is as wide. */
const overhang = (page: Page) =>
  Effect.promise(() => page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth"))

// Colours are the same at every width, and what is where is the same in all colours.
const LOOKS = [
  { viewport: PHONE_VIEWPORT, colorScheme: "dark" },
  { viewport: DESKTOP_VIEWPORT, colorScheme: "light" }
] as const

describe.skipIf(!hasChromium)(withChromiumNote("the look of the console"), () => {
  layer(layerLooked, { excludeTestServices: false })((it) => {
    for (const { viewport, colorScheme } of LOOKS)
      it.effect(`keeps nobody out, at ${viewport.width} pixels and ${colorScheme}`, () =>
        Effect.gen(function* () {
          const base = yield* BaseUrl
          const sql = yield* SqlClient.SqlClient
          const { email, operatorId } = yield* createSignInAccount("<b>Harbour</b> & Sons")
          yield* sql`UPDATE operators SET status = 'banned' WHERE id = ${operatorId}`
          const page = yield* openPage({ ...OWN_PLACE, viewport, colorScheme })
          const look = Effect.fnUntraced(function* (what: string) {
            assert.deepStrictEqual(yield* findAccessibilityViolations(page), [], what)
            assert.isAtMost(yield* overhang(page), 0, what)
          })
          yield* done(() => page.goto(`${base}/console`))
          yield* look("sign in")
          yield* signIn(page, email, "wrong")
          yield* look("wrong password")
          yield* signIn(page, email, PASSWORD)
          yield* look("access")
          yield* done(() => page.goto(`${base}/console/password`))
          yield* look("password")
          yield* done(() => page.goto(`${base}/console/nothing`))
          yield* look("no such page")
        })
      )

    it.effect("breaks long names and addresses, and nothing beside them", () =>
      Effect.gen(function* () {
        const base = yield* BaseUrl
        const sql = yield* SqlClient.SqlClient
        const host = yield* createSignInAccount()
        const long = "Portfolio".repeat(11)
        yield* sql`UPDATE accounts SET name = ${long} WHERE id = ${host.accountId}`
        yield* connectClient(host, yield* createPartner(), long)
        yield* createAccessToken(host, "read-only")
        yield* sql`UPDATE access_tokens SET name = ${long}, last_used_at = created_at WHERE operator_id = ${host.operatorId}`
        const page = yield* openPage({ ...OWN_PLACE, viewport: DESKTOP_VIEWPORT })
        yield* signIn(page, host.email, PASSWORD)
        yield* done(async () => {
          await page.goto(`${base}/console/access`)
          await page.click("#webhooks summary")
          await page.fill("[name=url]", `https://hooks.example.com/${long}${long}`)
          await page.click("[value=add_webhook]")
          await page.goto(`${base}/console/access`)
        })
        assert.isAtMost(yield* overhang(page), 0)
        const lines = yield* Effect.promise(() =>
          page.evaluate<ReadonlyArray<readonly [string, number]>>(
            `Array.from(document.querySelectorAll(".cards :is(time, .whole, .badge, .withdraw summary, th)"), (at) => {
              const range = document.createRange()
              range.selectNodeContents(at)
              return [at.textContent, new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size]
            })`
          )
        )
        assert.isAtLeast(lines.length, 20)
        assert.deepStrictEqual(
          lines.filter(([, count]) => count > 1),
          []
        )
        // Where the rows are just no cards, and where names have just room of their own.
        for (const width of [PHONE_VIEWPORT.width, 705, 959, 960]) {
          yield* done(() => page.setViewportSize({ width, height: DESKTOP_VIEWPORT.height }))
          assert.isAtMost(yield* overhang(page), 0, `${width} pixels`)
        }
      })
    )

    it.effect("is used by the keyboard alone, and what has the focus is seen", () =>
      Effect.gen(function* () {
        const base = yield* BaseUrl
        const { email } = yield* createSignInAccount()
        const page = yield* openPage({ ...OWN_PLACE, viewport: DESKTOP_VIEWPORT })
        const press = (key: string) => done(() => page.keyboard.press(key))
        const type = (text: string) => done(() => page.keyboard.type(text))
        const order = Effect.fnUntraced(function* (length: number) {
          const stops: Array<string> = []
          for (let stop = 0; stop < length; stop += 1) {
            yield* press("Tab")
            stops.push(yield* focused(page))
            const outlined = yield* Effect.promise(() =>
              page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")
            )
            assert.strictEqual(outlined, "solid", stops.at(-1))
          }
          return stops
        })
        yield* done(() => page.goto(`${base}/console`))
        assert.deepStrictEqual(yield* order(1), ["Skip to content"])
        const skip = yield* Effect.promise(() => page.locator(".skip").boundingBox())
        assert.isAtLeast(skip?.x ?? -1, 0)
        yield* press("Enter")
        assert.deepStrictEqual(yield* order(1), ["email"])
        yield* type(email)
        yield* press("Tab")
        yield* type(PASSWORD)
        yield* press("Enter")
        yield* done(() => page.waitForURL("**/console/calendar"))
        yield* done(() => page.goto(`${base}/console/password`))
        const sidebarLinks = yield* Effect.promise(() => page.locator(".side-menu a").allTextContents())
        assert.includeMembers(sidebarLinks, ["Calendar", "Money", "Password"])
        const expectedOrder = [
          ...["Skip to content", ...sidebarLinks, "sign_out"],
          ...["password", "new_password", "again", "change_password"]
        ]
        assert.deepStrictEqual(yield* order(expectedOrder.length), expectedOrder)
        yield* done(() => page.focus("[name=password]"))
        for (const text of [PASSWORD, "another password", "another password"]) {
          yield* type(text)
          yield* press("Tab")
        }
        yield* press("Enter")
        yield* done(() => page.waitForURL("**/console/password?done=changed"))
        yield* done(() => page.focus("[value=sign_out]"))
        yield* press("Enter")
        yield* done(() => page.waitForURL(`${base}/console`))
        yield* signIn(page, email, "another password")
        assert.strictEqual(page.url(), `${base}/console/calendar`)
      })
    )

    it.effect("is shown in no frame, and its forms are sent from no other site", () =>
      Effect.gen(function* () {
        const base = yield* BaseUrl
        const { email } = yield* createSignInAccount()
        const page = yield* openPage({ ...OWN_PLACE, viewport: DESKTOP_VIEWPORT })
        yield* signIn(page, email, PASSWORD)
        const other = base.replace("127.0.0.1", "localhost")
        const framed = yield* Effect.promise(async () => {
          await page.goto(`${other}/health/live`)
          await page.setContent(`<iframe src="${base}/console/password"></iframe>`)
          await page.waitForTimeout(500)
          return page.frames().map((frame) => frame.url())
        })
        assert.notInclude(framed.join(" "), "/console/password")
        const status = yield* Effect.promise(async () => {
          await page.setContent(
            `<form method="post" action="${base}/console"><input name="act" value="sign_out"><button>x</button></form>`
          )
          const [response] = await Promise.all([page.waitForNavigation(), page.click("button")])
          return response?.status()
        })
        assert.strictEqual(status, 403)
        yield* done(() => page.goto(`${base}/console/access`))
        assert.strictEqual(page.url(), `${base}/console/access`)
      })
    )
  })
})
