import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PROPERTY_TITLE_LENGTH } from "../../../../src/platform/limits.ts"
import { insertChannelAccount } from "../../../support/listings.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findForms,
  getPage,
  type HostPageResponse
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PAGE = "/console/start"

const doneSteps = ({ text }: HostPageResponse): ReadonlyArray<string> =>
  Array.from(text.matchAll(/<li class="is-done">\s*<h2>([^<]*)/g), ([, title = ""]) => title.trim())

layer(layerSignedInPages)("the start page", (it) => {
  it.effect("leads a new operator through property, bookings, price and access token", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const page = yield* getPage(cookie, PAGE)
      assert.strictEqual(page.status, 200)
      assert.notInclude(doneSteps(page), "Add your first property")
      for (const path of ["/console/calendars", "/console/channels", "/console/prices", "/console/access#tokens"]) {
        assert.include(page.text, `href="${path}"`)
      }
      assert.include((yield* getPage(cookie, "/console/overview")).text, `href="${PAGE}"`)
    })
  )

  it.effect("adds the first property, names it, and marks each step that is done", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const page = yield* fillAndFollow(cookie, PAGE, "add_property", { title: "Harbour <1>" })
      assert.include(page.text, "Property Harbour &lt;1&gt; added.")
      assert.include(doneSteps(page), "Add your first property")
      assert.notInclude(doneSteps(page), "Connect your bookings")
      assert.lengthOf(findForms(page, "add_property"), 0)
      yield* insertChannelAccount(operatorId)
      assert.include(doneSteps(yield* getPage(cookie, PAGE)), "Connect your bookings")
      assert.notInclude((yield* getPage(cookie, "/console/overview")).text, `class="button primary" href="${PAGE}"`)
    })
  )

  it.effect("adds one property if the form is sent twice, and keeps a name that is too long", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const title = "x".repeat(PROPERTY_TITLE_LENGTH + 1)
      const tooLong = yield* fillAndSend(cookie, PAGE, "add_property", { title })
      assert.isAtLeast(tooLong.status, 400)
      assert.isDefined(findAlert(tooLong))
      assert.strictEqual(findForms(tooLong, "add_property")[0]?.form.get("title"), title)
      const statuses = (yield* fillAndSendTwice(cookie, PAGE, "add_property", { title: "Harbour" })).map(
        ({ status }) => status
      )
      assert.include(statuses, 303)
      assert.include((yield* getPage(cookie, PAGE)).text, "Harbour")
    })
  )
})
