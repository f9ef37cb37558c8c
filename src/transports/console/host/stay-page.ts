import { DateTime, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { search_reservations } from "../../../domain/bookings/reservations/contract.ts"
import { query_custom_channels } from "../../../domain/channels/custom-channels/contract.ts"
import { PAGE_MAX } from "../../../platform/limits.ts"
import type { OperationName } from "../../../service/Api.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { OfferedProperties } from "../queries/OfferedProperties.ts"
import { StayBeside } from "../queries/StayBeside.ts"
import type { SubmittedForm } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { readChangedFields } from "./form-values.ts"
import { type HostAction, makeHostPage, notFoundView } from "./host-page.ts"
import { link, timeZoneNote } from "./page-parts.ts"
import { CHECK_IN_PARSERS, checkInSection } from "./stay/check-in-section.ts"
import { BASICS_PARSERS, editSection } from "./stay/edit-stay.ts"
import { calendarSection, requestSection } from "./stay/reservation-actions.ts"
import {
  makeChangeDates,
  makeMoveStay,
  makeTagAction,
  makeUnassignStay,
  makeUpdateArrival,
  readStayCode
} from "./stay/stay-actions.ts"
import { factsSection, messagesSection, moneySection, otherStaysSection, tasksSection } from "./stay/stay-facts.ts"
import { guestsSection } from "./stay/stay-guests.ts"
import { arrivalForms, stayHeader } from "./stay/stay-header.ts"
import { guestLabel } from "./stay/stay-labels.ts"
import { timelineSection } from "./stay/stay-timeline.ts"
import type { StayView } from "./stay/stay-view.ts"
import { customFieldsSection, readCustomFields, tagsSection } from "./stay/tags-and-custom-fields.ts"
import { RESERVATIONS_PATH, STAY_PATH } from "./urls.ts"

export const makeStayPage = Effect.gen(function* () {
  const [service, stayContext, properties] = [yield* Service, yield* StayBeside, yield* OfferedProperties]
  const mutate = makeVoidMutation(service)
  const search = makeQuery(service, search_reservations)
  const queryChannels = makeQuery(service, query_custom_channels)
  const actionContext = { search, mutate, stayContext, properties }

  const makeStayAction = (
    operation: OperationName,
    message: string,
    parse: (form: SubmittedForm) => Parameters<typeof mutate>[3]
  ): HostAction => ({
    doneMessage: message,
    run: (visit, form) => mutate(visit, form, operation, { stay_code: readStayCode(visit), ...parse(form) })
  })

  const makeOrderAction = (operation: OperationName, message: string): HostAction => ({
    doneMessage: message,
    run: (visit, form) => mutate(visit, form, operation, { reservation_code: form.get("reservation_code") ?? "" })
  })

  const makeFieldReader = (parsers: Parameters<typeof readChangedFields>[1]) => (form: SubmittedForm) =>
    readChangedFields(form, parsers)

  return makeHostPage({
    path: STAY_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const stayCode = readStayCode(visit)
        const context = stayCode === "" ? undefined : yield* stayContext.of(stayCode)
        if (context === undefined) return stayNotFoundView
        const { reservations } = yield* search(visit, { reservation_code: stayCode, limit: PAGE_MAX })
        const stay = reservations.find(({ stay_code }) => stay_code === stayCode)
        if (stay === undefined) return stayNotFoundView
        const { custom_channels } = yield* queryChannels(visit, {})
        const channels = custom_channels.map(({ id, name }) => ({ value: id, label: name }))
        const otherStays = reservations.filter((each) => each !== stay)
        const today = dateInZone(yield* DateTime.nowAsDate, visit.session.person.caller.timeZone)
        return renderStay({ visit, today, failedSubmission, stay, otherStays, context, channels })
      }),
    actions: {
      change: makeStayAction("update_reservation_basic", "Saved.", makeFieldReader(BASICS_PARSERS)),
      dates: { doneMessage: "Dates changed.", run: makeChangeDates(actionContext) },
      allocate: { doneMessage: "Moved.", run: makeMoveStay(actionContext) },
      box: { doneMessage: "Unassigned.", run: makeUnassignStay(actionContext) },
      whereabouts: { doneMessage: "Saved.", run: makeUpdateArrival(actionContext) },
      tag: { doneMessage: "Tag added.", run: makeTagAction(actionContext, "add_reservation_tag") },
      untag: { doneMessage: "Tag removed.", run: makeTagAction(actionContext, "remove_reservation_tag") },
      check_in: makeStayAction("update_check_in_details", "Check-in details saved.", makeFieldReader(CHECK_IN_PARSERS)),
      fields: makeStayAction("update_reservation_custom_fields", "Custom fields saved.", (form) => ({
        custom_fields: readCustomFields(form)
      })),
      approve: makeOrderAction("approve_reservation", "Request accepted."),
      decline: makeOrderAction("decline_reservation", "Request declined."),
      cancel: makeOrderAction("cancel_reservation", "Reservation cancelled."),
      cancel_calendar_stay: makeStayAction("cancel_calendar_stay", "Reservation cancelled.", () => ({})),
      detach: makeStayAction("detach_calendar_stay", "Disconnected from the calendar.", () => ({})),
      approve_check_in: makeStayAction("approve_check_in", "ID check approved.", () => ({}))
    },
    doneMessages: { entered: "Reservation saved." }
  })
})

const stayNotFoundView = notFoundView(
  "Reservation not found",
  "There is no reservation with this code.",
  html`<p>${link(RESERVATIONS_PATH, "All reservations")}</p>
`
)

const renderStay = (view: StayView) => ({
  title: guestLabel(view.stay),
  primaryAction: arrivalForms(view),
  body: html`${stayHeader(view)}${requestSection(view)}<div class="columns stay-page"><div>${factsSection(view)}${guestsSection(view)}${otherStaysSection(view)}${checkInSection(view)}${messagesSection(view)}</div>
<div>${moneySection(view)}${tasksSection(view)}${tagsSection(view)}${customFieldsSection(view)}${editSection(view)}${calendarSection(view)}</div></div>
${timelineSection(view)}${timeZoneNote(view.visit)}`
})
