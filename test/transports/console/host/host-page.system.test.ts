import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newSessionCookie } from "../../../../src/domain/access/sign-in/cookies.ts"
import { CONSOLE_FORM_BYTES, HOST_FORM_BYTES } from "../../../../src/platform/limits.ts"
import { ACTION_FIELD, deriveFormToken, FORM_TOKEN_FIELD } from "../../../../src/transports/console/visit.ts"
import {
  createSignedInHost,
  getPage,
  postForm,
  postInventedForm
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

// What holds for every page of the host's console, whatever it shows.

const PATHS = [
  ...[
    "overview",
    "calendar",
    "reservations",
    "reservations/new",
    "stay",
    "messages",
    "reviews",
    "money",
    "tasks",
    "year"
  ],
  ...[
    "properties",
    "properties/property",
    "channels",
    "channels/listing",
    "calendars",
    "automation",
    "knowledge",
    "people",
    "words",
    "history"
  ]
].map((name) => `/console/${name}`)

/** Acts that every page might have been told of, and that no page has. */
const NONE = ["", "constructor", "__proto__", "show", "toString"]

layer(layerSignedInPages)("every page of the host", (it) => {
  it.effect("asks who is nobody to sign in, and leads back", () =>
    Effect.gen(function* () {
      for (const path of [...PATHS, "/console/money.csv", "/console/reservations.csv"]) {
        const { status, location } = yield* getPage(newSessionCookie(), `${path}?x=1`)
        assert.deepStrictEqual([status, location], [303, `/console?${new URLSearchParams({ next: `${path}?x=1` })}`])
      }
    })
  )

  it.effect("is shown to a new host, loads nothing of elsewhere, and may not be kept or framed", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      for (const path of PATHS) {
        const { status, text, headers } = yield* getPage(cookie, path)
        assert.isTrue(status === 200 || status === 404, `${path}: ${status}`)
        assert.match(text, /<h1>[^<]+<\/h1>/)
        assert.notMatch(text, /\sstyle="|<style|\son\w+="|<script(?! src="\/console\/)/)
        assert.strictEqual(headers.get("cache-control"), "no-store")
        const csp = headers.get("content-security-policy") ?? ""
        assert.include(csp, "default-src 'none'")
        assert.include(csp, "frame-ancestors 'none'")
        assert.notInclude(csp, "unsafe")
      }
    })
  )

  it.effect("shows and does nothing but say why where the API refuses the account", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost({ status: "banned" })
      for (const path of [...PATHS, "/console/money.csv", "/console/reservations.csv"]) {
        const { status, text } = yield* getPage(cookie, path)
        assert.strictEqual(status, 403, path)
        assert.include(text, "Account banned")
        assert.notInclude(text, "<table")
      }
    })
  )

  it.effect("has no form that it does not show, and takes none without its token", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      for (const path of PATHS) {
        for (const act of NONE)
          assert.strictEqual((yield* postInventedForm(cookie, path, act)).status, 400, `${path} ${act}`)
        const form = new URLSearchParams({
          [ACTION_FIELD]: "x",
          [FORM_TOKEN_FIELD]: deriveFormToken(newSessionCookie())
        })
        assert.strictEqual((yield* postForm(cookie, path, form)).status, 403, path)
      }
    })
  )

  it.effect("takes long texts of who is signed in, and no longer ones", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const sized = (cookie: string, bytes: number) => {
        const form = new URLSearchParams({
          [FORM_TOKEN_FIELD]: deriveFormToken(cookie),
          [ACTION_FIELD]: "nothing",
          x: ""
        })
        form.set("x", "x".repeat(bytes - form.toString().length))
        return Effect.map(postForm(cookie, "/console/knowledge", form), ({ status }) => status)
      }
      assert.strictEqual(yield* sized(cookie, HOST_FORM_BYTES), 400)
      assert.strictEqual(yield* sized(cookie, HOST_FORM_BYTES + 1), 413)
      const nobody = newSessionCookie()
      assert.strictEqual(yield* sized(nobody, CONSOLE_FORM_BYTES), 400)
      assert.strictEqual(yield* sized(nobody, CONSOLE_FORM_BYTES + 1), 413)
    })
  )
})
