import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { Browser, findAccessibilityViolations, hasChromium, openPage, withChromiumNote } from "../../support/browser.ts"
import { startDemoService } from "../../support/first-start.ts"
import { decodeMailText, makeLoopbackSmtpServer } from "../../support/platform/mail/loopback-smtp-server.ts"

const { notifications, reset, signIn, verification } = TEXTS

const NEW_PASSWORD = "a much better horse"

const findLink = (source: string): string => /http:\S+token=[\w-]+/.exec(decodeMailText(source))?.[0] ?? ""

const startWithMail = Effect.gen(function* () {
  const mailServer = yield* makeLoopbackSmtpServer
  const demo = yield* startDemoService({
    LOG_LEVEL: "warn",
    SMTP_URL: mailServer.url,
    MAIL_FROM: "Latchkey <no-reply@example.test>"
  })
  const callApi = (path: string, body?: object) =>
    Effect.promise(async () => {
      const response = await fetch(`${demo.baseUrl}/v3${path}`, {
        headers: { "service-access-token": demo.token, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
      return JSON.parse(await response.text())
    })
  return { ...demo, mailServer, callApi }
})

layer(Browser.layer, { excludeTestServices: true })(withChromiumNote("mail, in a browser"), (it) => {
  it.effect.runIf(hasChromium)(
    "confirms an address, notifies of a booking over the API, and resets a password",
    () =>
      Effect.gen(function* () {
        const { baseUrl, email, password, mailServer, callApi } = yield* startWithMail
        const page = yield* openPage()
        const run = <A>(work: () => Promise<A>) => Effect.promise(work)
        const signInWith = (text: string) =>
          run(async () => {
            await page.fill("input[name=email]", email)
            await page.fill("input[name=password]", text)
            await page.click(`button:text-is("${signIn.button}")`)
          })
        yield* run(() => page.goto(`${baseUrl}/console?next=/console/notifications`))
        yield* signInWith(password)
        yield* run(() => page.click(`button:text-is("${notifications.requestVerification}")`))
        assert.include(yield* run(() => page.textContent("[role=status]")), notifications.verificationRequested)

        const confirmation = yield* mailServer.awaitMail(1)
        yield* run(() => page.goto(findLink(confirmation)))
        assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        yield* run(() => page.click(`button:text-is("${verification.button}")`))
        assert.include(yield* run(() => page.textContent("[role=status]")), verification.verified)

        yield* run(async () => {
          await page.check("input[value=new_booking]")
          await page.click(`button:text-is("${notifications.save}")`)
        })
        assert.include(yield* run(() => page.textContent("[role=status]")), notifications.saved)
        assert.isTrue(yield* run(() => page.isChecked("input[value=new_booking]")))
        assert.isFalse(yield* run(() => page.isChecked("input[value=guest_message]")))
        assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        yield* run(() => page.screenshot({ path: "/tmp/mail-notifications.png", fullPage: true }))

        const { data } = yield* callApi("/properties?limit=1")
        const startedAt = Date.now()
        const booked = yield* callApi("/reservations", {
          ...{ property_id: data.properties[0].id, custom_channel_id: 31, check_in_date: "2030-05-04" },
          ...{ check_out_date: "2030-05-07", guest_name: "Jonas Weber", currency: "EUR", rate_amount: 420 },
          ...{ commission_amount: 0, received_amount: 0, income_method_id: 197 }
        })
        assert.strictEqual(booked.error_code, 0, booked.error_msg)
        const notification = decodeMailText(yield* mailServer.awaitMail(2))
        console.log(`the notification arrived ${Date.now() - startedAt} ms after the call`)
        assert.include(notification, booked.data.reservation_code)
        assert.include(notification, "Jonas")

        yield* run(async () => {
          await page.click(`button:text-is("${TEXTS.frame.signOut}")`)
          await page.click(`a:text-is("${signIn.forgottenPasswordLink}")`)
          await page.fill("input[name=email]", email)
        })
        yield* run(() => page.screenshot({ path: "/tmp/mail-reset.png" }))
        yield* run(() => page.click(`button:text-is("${reset.requestButton}")`))
        assert.include(yield* run(() => page.textContent("[role=status]")), reset.requested)
        const link = findLink(yield* mailServer.awaitMail(3))
        yield* run(async () => {
          const response = await page.goto(link)
          assert.strictEqual(response?.headers()["referrer-policy"], "strict-origin")
          assert.strictEqual(response?.headers()["cache-control"], "no-store")
          assert.include(response?.headers()["content-security-policy"], "frame-ancestors 'none'")
          await page.fill("input[name=new_password]", NEW_PASSWORD)
          await page.fill("input[name=again]", "something else")
          await page.click(`button:text-is("${reset.button}")`)
        })
        assert.include(yield* run(() => page.textContent("[role=alert]")), TEXTS.password.passwordsDiffer)
        yield* run(async () => {
          await page.fill("input[name=new_password]", NEW_PASSWORD)
          await page.fill("input[name=again]", NEW_PASSWORD)
        })
        assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        yield* run(() => page.click(`button:text-is("${reset.button}")`))
        assert.include(yield* run(() => page.textContent("[role=status]")), signIn.passwordReset)
        yield* signInWith(NEW_PASSWORD)
        assert.include(yield* run(() => Promise.resolve(page.url())), "/console/calendar")
        yield* run(() => page.goto(link))
        assert.include(yield* run(() => page.textContent("[role=alert]")), reset.unusableLink)
        yield* run(() => page.click(`button:text-is("${TEXTS.frame.signOut}")`))
        assert.include(yield* run(() => page.textContent("form")), signIn.email)
        const headers = { origin: "null", "content-type": "application/x-www-form-urlencoded" }
        const { status } = yield* run(() => fetch(`${baseUrl}/console/reset`, { method: "POST", headers, body: "" }))
        assert.strictEqual(status, 403)
      }),
    120_000
  )
})
