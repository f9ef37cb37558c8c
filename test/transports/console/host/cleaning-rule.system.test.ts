import { assert, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { addDays, dateInZone } from "../../../../src/contract/time.ts"
import { PlanningQueue } from "../../../../src/domain/automation/planning/PlanningQueue.ts"
import { markStaysOfReservationEvents } from "../../../../src/domain/automation/planning/planning-marks.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { InternalSubscribers } from "../../../../src/jobs/events/internal-subscribers.ts"
import { Browser, DESKTOP_VIEWPORT, hasChromium, openPage, withChromiumNote } from "../../../support/browser.ts"
import { dispatchAndPlan } from "../../../support/domain/automation/automation-service.ts"
import { call, createOperator, insertProperty } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

// A host makes a cleaning rule in a real browser, after seeing its trial, and finds the task of a new stay.

const layerPlanning = Layer.mergeAll(
  PlanningQueue.layer,
  Layer.provide(EventDispatcher.layer, Layer.succeed(InternalSubscribers, [markStaysOfReservationEvents])),
  Layer.succeed(References.MinimumLogLevel, "Error")
).pipe(Layer.provideMerge(layerSignedInPages), Layer.provideMerge(Browser.layer))

const bookStay = (token: string, property: number, checkIn: string, guestName: string) =>
  call(token, "create_reservation", {
    property_id: property,
    custom_channel_id: 30,
    check_in_date: checkIn,
    check_out_date: addDays(checkIn, 2),
    guest_name: guestName,
    currency: "EUR",
    rate_amount: 100,
    commission_amount: 0,
    received_amount: 0,
    income_method_id: 197
  })

layer(layerPlanning, { excludeTestServices: true })("a cleaning rule in the browser", (it) => {
  it.effect.skipIf(!hasChromium)(
    withChromiumNote("is started after its trial, and the cleaning of a new stay is on the tasks page"),
    () =>
      Effect.gen(function* () {
        const { operatorId, accountId, token } = yield* createOperator()
        const property = yield* insertProperty(operatorId, "Harbour 1")
        const day = addDays(dateInZone(Date.now(), "UTC"), 10)
        const first = yield* bookStay(token, property, day, "Ada Lovelace")
        assert.strictEqual(first.error_code, 0, first.error_msg)
        yield* dispatchAndPlan
        const [base, cookie] = [yield* BaseUrl, yield* signIn(accountId)]
        const page = yield* openPage({ viewport: DESKTOP_VIEWPORT })
        yield* Effect.promise(async () => {
          await page.context().addCookies([{ name: "latchkey", value: cookie, url: base }])
          await page.goto(`${base}/console/automation`)
          await page.getByRole("link", { name: "A task at check-out" }).click()
          await page.getByLabel("Cleaning level").selectOption("advanced")
          await page.getByRole("button", { name: "Preview" }).click()
          const trial = page.locator("#trial")
          await trial.getByText("Ada Lovelace").waitFor()
          await page.getByRole("button", { name: "Start rule" }).click()
          await page.getByText("Creates a task (Cleaning, thorough) at check-out").waitFor()
        })
        const second = yield* bookStay(token, property, addDays(day, 5), "Grace Hopper")
        assert.strictEqual(second.error_code, 0, second.error_msg)
        yield* dispatchAndPlan
        const text = yield* Effect.promise(async () => {
          await page.goto(`${base}/console/tasks?from=${day}&to=${addDays(day, 10)}`)
          return page.locator("main").innerText()
        })
        assert.strictEqual(text.split("Cleaning, thorough").length - 1, 2, text)
      })
  )
})
