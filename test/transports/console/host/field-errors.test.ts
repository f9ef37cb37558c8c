import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeDecoder } from "../../../../src/contract/decoder.ts"
import { REPORTED_FIELDS_MAX } from "../../../../src/platform/limits.ts"
import { Api } from "../../../../src/service/Api.ts"
import { formatActionError, toFieldErrors } from "../../../../src/transports/console/host/field-errors.ts"
import { FIELD_WORDS, toFieldLabel } from "../../../../src/transports/console/host/field-words.ts"
import { makeActionError } from "../../../../src/transports/console/host/host-page.ts"

const textOf = (message: string): string => formatActionError(makeActionError(422, message))

describe("an error of the API in the host's words", () => {
  it.each([
    // The rows of the list of labels.
    ["check_in_date: the property is not free on all of these nights.", "The property is not free on these nights."],
    ["property_id: is required.", "Choose a property."],
    ["check_in_date: is required.", "Choose a check-in date."],
    ["prices[0].price: must be an amount from 1 to 999999999999.", "Enter a price of at least 1."],
    ["amount: has more decimals than EUR has.", "Amounts in EUR have two decimals."],
    ["amount: has more decimals than JPY has.", "Amounts in JPY have no decimals."],
    ["staff_id: does not work in the property of the task.", "This staff member is not assigned to this property."],
    ["title: another property has it already.", "You already have a property with this name."],
    ["check_out_date: must be after check_in_date.", "Check-out must be after check-in."],
    // Missing and unreadable values.
    ["guest_name: must not be empty.", "Enter the guest's name."],
    ["latitude: is required.", "Fill in “Latitude”."],
    ["currency: is required unless reservation_code is given.", "Choose a currency."],
    ["check_in_date: must be a date in the form YYYY-MM-DD.", "Choose a check-in date."],
    ["custom_channel_id: must be a positive id.", "Choose a source."],
    ["property_ids: must be a list of at least one id.", "Choose at least one property."],
    ["dates: must name at least one date.", "Choose at least one day."],
    ["content: must be a text.", "Write a message."],
    ["rate_amount: must be a number.", "Total price: enter a number."],
    ["minimum_stay: must be a whole number.", "Minimum stay: enter a whole number."],
    ["arrival_at.hour: must be an hour from 0 to 23.", "Arrival time must be an hour from 0 to 23."],
    [
      "lock_code_visible_after: must be a time in the form HH:mm, such as 15:00.",
      "Door code shown from: enter a time such as 15:00."
    ],
    ["action_at: must be a time in ISO 8601, such as 2027-05-07T10:00:00Z.", "Date: choose a date and a time."],
    ["status: must be one of paid, outstanding.", "Choose one of the options of “Status”."],
    ["remarks: must not contain the character U+0000.", "Remove the invalid character from “Remarks”."],
    // Amounts, counts and lengths.
    ["rate_amount: must be an amount from 0 to 999999999999.", "Enter a total price of at least 0."],
    ["amount: must be an amount above zero.", "Enter an amount above 0."],
    ["amount: must be an amount of at most 999999999999.", "Enter an amount of at most 999,999,999,999."],
    ["number_of_guests: must be a number from 1 to 99.", "Guests: a number from 1 to 99."],
    ["ratio: must be a whole number from 1 to 1000.", "Price markup: a whole number from 1 to 1,000."],
    ["ratio: must be from 1 to 1000.", "Price markup: a whole number from 1 to 1,000."],
    ["content: must be at most 10000 characters.", "Message: 10,000 characters max."],
    ["message: must be at most 2000 characters on airbnb.", "Message: 2,000 characters max."],
    ["note: must be one line of at most 300 characters.", "Note: 300 characters max."],
    ["property_ids: must be at most 100 ids.", "Properties: 100 max."],
    ["dates: must be a list of at most 366 dates.", "Dates: 366 max."],
    [
      "email: must be an e-mail address of at most 254 characters, such as host@example.com.",
      "Enter a valid e-mail address, such as host@example.com."
    ],
    [
      "currency: must be the ISO 4217 code of a currency in use, such as EUR.",
      "Enter the code of a currency, such as EUR."
    ],
    ["currency: must be USD, the currency of the order.", "Use USD, the currency of the reservation."],
    ["currency: an amount of the order has more decimals than JPY has.", "Amounts in JPY have no decimals."],
    // Days.
    ["check_out_date: must be within 500 nights of check_in_date.", "A stay has at most 500 nights."],
    ["start_date: must not be after end_date.", "First day must not be after last day."],
    ["settings.maximum_stay: must not be below minimum_stay.", "Maximum stay must not be below minimum stay."],
    ["end_date: must be within 180 days of start_date.", "Last day: choose a day within 180 days of first day."],
    ["end_date: must be within 1080 days of today.", "Last day must be within 1080 days of today."],
    ["start_date: must be today or later.", "Choose today or a later day."],
    // Records and their states.
    ["property_id: no such property.", "This property no longer exists."],
    ["property_ids: no such property: 12, 13.", "This property no longer exists."],
    ["reservation_code: no such order.", "This reservation no longer exists."],
    ["id: no such tag of your own; default tags cannot be deleted.", "This tag of your own no longer exists."],
    [
      "income_method_id: is not in the dictionary GET /income_methods.",
      "Payment method: this choice no longer exists. Choose another one."
    ],
    ["property_id: the property is deactivated.", "This property is inactive. Activate it first."],
    ["staff_id: is not active, so no task can be assigned.", "This staff member is inactive."],
    ["task.staff: must be an active staff member.", "This staff member is inactive."],
    [
      "task.staff: must be a staff member who works in all property_ids of the rule.",
      "This staff member is not assigned to this property."
    ],
    ["name: is already used by another group.", "You already have a group with this name."],
    ["email: is already used by another account.", "Another account has this e-mail address."],
    [
      "check_in_date: property 7 is not free on the night of 2027-05-05: Busy in the calendar of airbnb.example.",
      "The property is not free on Wed 5 May 2027: busy in the calendar of airbnb.example."
    ],
    [
      "reservation_code: another reservation holds nights of this one.",
      "The property is no longer free on these nights."
    ],
    [
      "reservation_code: the order is wait_pay, not waiting for an answer.",
      "This reservation is awaiting payment, so this is not possible."
    ],
    [
      "stay_status: the order is denied; only stays of accepted orders can be marked.",
      "This reservation is declined, so this is not possible."
    ],
    [
      "check_in_date: the order is cancelled; its dates cannot be changed.",
      "This reservation is cancelled, so this is not possible."
    ],
    [
      "stay_code: the reservation is timeout and cannot be cancelled.",
      "This reservation is expired, so this is not possible."
    ],
    ["stay_code: its order has ended.", "This reservation has ended."],
    [
      "number_of_guests: must be at least 3: the stay has 2 children, and an adult.",
      "Enter at least 3 guests: 2 children and an adult."
    ],
    [
      "custom_fields: a stay has at most 50 of them, of at most 10000 characters in all.",
      "A stay has at most 50 custom fields, of 10,000 characters in all."
    ],
    [
      "tag_name: is new, but the account already has 100 tags of its own, the maximum.",
      "You already have 100 tags, the maximum. Use one of them."
    ],
    [
      "room_limit: all 10 properties of the subscription are in use.",
      "All 10 properties of your subscription are in use."
    ],
    [
      "reservation_code: the channel failed or did not answer in time.",
      "The channel did not answer. Try again in a moment."
    ],
    // No rule of its own.
    [
      "currency: entries of the order are in EUR; delete them first.",
      "Entries of the reservation are in EUR; delete them first."
    ],
    [
      "currency: belongs to the channel of the order and cannot be changed here.",
      "Currency belongs to the channel of the reservation and cannot be changed here."
    ],
    [
      "status: cannot be outstanding with an action_at that is not in the future.",
      "Choose a future date for an outstanding entry."
    ],
    ["some_new_ids: must be blue.", "Some new must be blue."],
    ["This resource is no longer available.", "This reservation no longer exists."],
    [
      "Only manually created reservations can be cancelled through this endpoint.",
      "Only reservations that you entered can be cancelled here. Cancel others at their channel."
    ]
  ] as const)("%s", (message, expected) => {
    assert.strictEqual(textOf(message), expected)
  })

  it("keeps each of several fields, and counts the others", () => {
    assert.deepStrictEqual(
      toFieldErrors("property_id: is required. prices[0].price: must be an amount from 1 to 9. And 3 more."),
      [
        { field: "property_id", text: "Choose a property." },
        { field: "price", text: "Enter a price of at least 1." },
        { field: undefined, text: "3 more fields need correction." }
      ]
    )
    assert.strictEqual(
      textOf("prices[0].price: is required. prices[1].price: is required."),
      "Enter a price.",
      "the same sentence once"
    )
  })

  it("finds the form's field by the last name of a path, and the whole of an object", () => {
    const fieldOf = (message: string) => toFieldErrors(message)[0]?.field
    assert.strictEqual(fieldOf("ranges[10].price: is required."), "price")
    assert.strictEqual(fieldOf("property_ids[2]: must be a positive id."), "property_ids")
    assert.strictEqual(fieldOf("settings.maximum_stay: must be a whole number."), "maximum_stay")
    assert.strictEqual(fieldOf("departure_at.minute: must be a minute from 0 to 59."), "departure_at")
    assert.strictEqual(fieldOf("custom_fields.my gate: code: must be at most 500 characters."), "custom_fields")
  })

  it("names several fields of which one is needed", () => {
    assert.deepStrictEqual(toFieldErrors("message, jpeg_base64: give at least one of them."), [
      { field: undefined, text: "Fill in at least one of: Message, Photo." }
    ])
  })

  it("leaves the console's own sentences as they are, also with colons", () => {
    for (const text of [
      "Lisbon, Belém is not free on these nights: Chloé Martin, 26–28 Dec 2026.",
      "Somebody else has changed this meanwhile. Nothing was saved. Check the current values and try again."
    ]) {
      assert.deepStrictEqual(toFieldErrors(text), [{ field: undefined, text }])
    }
    assert.deepStrictEqual(toFieldErrors("check_in_date: Lisbon, Belém is not free: Chloé_M, 26–28 Dec 2026."), [
      { field: "check_in_date", text: "Lisbon, Belém is not free: Chloé_M, 26–28 Dec 2026." }
    ])
  })

  const contractFields = Array.from(
    new Set(Object.values(Api).flatMap(({ payloadSchema }) => Object.keys(payloadSchema.fields)))
  )

  it("never shows a field's name of the API", () => {
    assert.isAbove(contractFields.length, 100)
    for (const field of [...contractFields, ...Object.keys(FIELD_WORDS)]) {
      assert.notInclude(toFieldLabel(field), "_", field)
      for (const problem of ["is required", "must be blue", `must not be after ${field}`, `no ${field} here`]) {
        const text = textOf(`${field}: ${problem}.`)
        assert.notInclude(text, "_", text)
        assert.match(text, /^(?:[A-Z“]|iCal).*\.$/u)
      }
    }
  })

  it.effect("translates what the decoder reports of every field of the contract", () =>
    Effect.gen(function* () {
      for (const operation of Object.values(Api)) {
        const decode = makeDecoder(Schema.toCodecJson(operation.payloadSchema))
        for (const value of [{}, "", [], -1, 1e15, "x".repeat(20_000), null]) {
          const input = Object.fromEntries(Object.keys(operation.payloadSchema.fields).map((field) => [field, value]))
          const message = yield* Effect.match(decode(input), {
            onSuccess: () => "",
            onFailure: (error) => error.message
          })
          const errors = message === "" ? [] : toFieldErrors(message)
          assert.isAtMost(errors.length, REPORTED_FIELDS_MAX + 1)
          for (const { text } of errors) {
            assert.notMatch(text, /[a-z]_[a-z]/, message)
            assert.notMatch(text, /YYYY|ISO|\[object|\bAPI\b/, message)
          }
        }
      }
    })
  )
})
