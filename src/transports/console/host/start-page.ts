import { Effect } from "effect"
import { PROPERTY_TITLE_LENGTH } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { StartProgress, type StartSteps } from "../queries/StartProgress.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeVoidMutation } from "./api-operations.ts"
import { actionForm, input, makeFieldFiller } from "./form-fields.ts"
import { parseText } from "./form-values.ts"
import { type FailedSubmission, type HostAction, makeHostPage } from "./host-page.ts"
import { buttonLink, link } from "./page-parts.ts"
import {
  ACCESS_PATH,
  CALENDAR_PATH,
  CHANNELS_PATH,
  ICAL_SYNC_PATH,
  NOTIFICATIONS_PATH,
  newReservationUrl,
  PEOPLE_PATH,
  PRICES_PATH,
  PROPERTIES_PATH,
  START_PATH
} from "./urls.ts"

const ADD_PROPERTY_ACTION = "add_property"

export const makeStartPage = Effect.gen(function* () {
  const [progress, service] = [yield* StartProgress, yield* Service]
  const mutate = makeVoidMutation(service)
  const addProperty: HostAction["run"] = (visit, form) => {
    const title = parseText(form.get("title") ?? "")
    return Effect.as(mutate(visit, form, "create_property", { title }), {
      _tag: "GoOn",
      url: START_PATH,
      notice: { text: `Property ${title} added.` }
    } as const)
  }
  return makeHostPage({
    path: START_PATH,
    show: (visit, failedSubmission) =>
      Effect.map(progress.load, (steps) => ({
        title: "Get started",
        body: startBody(steps, steps.first_property === null ? propertyForm(visit, failedSubmission) : nothing)
      })),
    actions: { [ADD_PROPERTY_ACTION]: { doneMessage: "Property added.", run: addProperty } }
  })
})

const propertyForm = (visit: SignedInVisit, failedSubmission?: FailedSubmission): Html =>
  actionForm(visit, {
    action: ADD_PROPERTY_ACTION,
    label: "Add property",
    isInline: true,
    fields: input(makeFieldFiller(failedSubmission, ADD_PROPERTY_ACTION), {
      name: "title",
      label: "Name",
      hint: "As you and your guests know it.",
      maxlength: PROPERTY_TITLE_LENGTH,
      isRequired: true
    })
  })

interface StartStep {
  readonly title: string
  readonly text: string
  readonly isDone: boolean
  /** The first link is the button of the next step to do. */
  readonly links: ReadonlyArray<readonly [url: string, label: string]>
}

const toSteps = ({
  first_property,
  has_calendar,
  has_channel,
  has_price,
  has_token
}: StartSteps): ReadonlyArray<StartStep> => [
  {
    title: "Add your first property",
    text: first_property ?? "A property is one place that guests book: a flat, a house or a room.",
    isDone: first_property !== null,
    links: first_property === null ? [] : [[PROPERTIES_PATH, "Properties"]]
  },
  {
    title: "Connect your bookings",
    text: "Import the iCal address of your Airbnb, Booking.com or Vrbo calendar, or connect the channel itself.",
    isDone: has_calendar || has_channel,
    links: [
      [ICAL_SYNC_PATH, "Import iCal"],
      [CHANNELS_PATH, "Channels & listings"]
    ]
  },
  {
    title: "Set your first price",
    text: "The price of a night goes to every channel of the property.",
    isDone: has_price,
    links: [[PRICES_PATH, "Set prices"]]
  },
  {
    title: "Create an access token",
    text: "Only if a program or an AI assistant works for you. You can skip this step.",
    isDone: has_token,
    links: [[`${ACCESS_PATH}#tokens`, "Create access token"]]
  }
]

const startBody = (progress: StartSteps, firstStepForm: Html): Html => {
  const steps = toSteps(progress)
  const next = steps.find(({ isDone }) => !isDone)
  const doneCount = steps.filter(({ isDone }) => isDone).length
  return html`<section>
<p role="status">${doneCount} of ${steps.length} steps done.</p>
<ol class="steps">
${steps.map((step, index) => stepItem(step, step === next, index === 0 ? firstStepForm : nothing))}</ol>
${next === undefined ? ALL_DONE : nothing}</section>
${FURTHER_LINKS}`
}

const stepItem = (
  { title, text, isDone, links }: StartStep,
  isNext: boolean,
  form: Html
): Html => html`<li class="${isDone ? "is-done" : "is-open"}">
<h2>${title}${isDone ? html` <span class="badge good">Done</span>` : nothing}</h2>
<p>${text}</p>
${form}<p class="acts">${links.map(([url, label], index) => html`${index === 0 && !isDone ? buttonLink(url, label, isNext ? "primary" : "plain") : link(url, label)} `)}</p>
</li>
`

const ALL_DONE: Html = html`<p>${buttonLink(CALENDAR_PATH, "Open the calendar")}</p>
`

const FURTHER_LINKS: Html = html`<p>Later: ${link(newReservationUrl(), "enter a reservation")}, ${link(PEOPLE_PATH, "invite your team")} and ${link(NOTIFICATIONS_PATH, "choose your notifications")}.</p>
`
