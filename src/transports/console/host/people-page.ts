import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { SubAccounts } from "../../../domain/access/sign-in/SubAccounts.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { StaffDirectory } from "../queries/StaffDirectory.ts"
import { makeSudo, type Sudo } from "../sudo.ts"
import type { SignedInVisit } from "../visit.ts"
import { type FailedSubmission, type HostView, makeHostPage, notFoundView } from "./host-page.ts"
import { buttonLink, link, readOffsetParam, timeZoneNote } from "./page-parts.ts"
import { accountView } from "./people/account-view.ts"
import { makeAccountActions, makeStaffActions } from "./people/people-actions.ts"
import { accountsSection, mainAccountOnlySection, NEW_STAFF_URL, staffSection } from "./people/people-lists.ts"
import { staffView } from "./people/staff-view.ts"
import { type EditTarget, readEditTarget, readTitleQuery } from "./property-selection.ts"
import { PEOPLE_PATH } from "./urls.ts"

export const makePeoplePage = Effect.gen(function* () {
  const [subAccounts, staff, sudo] = [yield* SubAccounts, yield* StaffDirectory, yield* makeSudo]
  const service = yield* Service
  const renderLists = makeListsRenderer(subAccounts, staff, sudo)
  const renderForm = makeFormRenderer(subAccounts, staff, sudo)
  return makeHostPage({
    path: PEOPLE_PATH,
    show: (visit, failedSubmission) => {
      const editTarget = readEditTarget(visit)
      return editTarget === undefined
        ? renderLists(visit, failedSubmission)
        : renderForm(visit, editTarget, failedSubmission)
    },
    actions: { ...makeAccountActions(service, sudo), ...makeStaffActions(service) }
  })
})

/** Returns undefined if the caller is a sub-account. */
const listVisibleAccounts = (subAccounts: SubAccounts["Service"]) =>
  Effect.catchTag(CurrentCaller.use(subAccounts.list), "Forbidden", () => Effect.undefined)

const makeListsRenderer = (subAccounts: SubAccounts["Service"], staff: StaffDirectory["Service"], sudo: Sudo) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const staffPage = yield* staff.list(readOffsetParam(visit, "staff"))
    const accounts = yield* listVisibleAccounts(subAccounts)
    const accountsHtml =
      accounts === undefined
        ? mainAccountOnlySection
        : accountsSection(visit, accounts, yield* sudo.renderPasswordField(visit), failedSubmission)
    const view: HostView = {
      title: "Team",
      primaryAction: buttonLink(NEW_STAFF_URL, "Add staff"),
      body: html`${staffSection(visit, staffPage)}${accountsHtml}${timeZoneNote(visit)}`
    }
    return view
  })

const makeFormRenderer = (subAccounts: SubAccounts["Service"], staff: StaffDirectory["Service"], sudo: Sudo) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, { kind, id }: EditTarget, failedSubmission?: FailedSubmission) {
    if (kind === "staff") {
      const staffForm = yield* staff.form({ id, q: readTitleQuery(visit) })
      return id === undefined || staffForm.it !== null
        ? staffView(visit, staffForm, failedSubmission)
        : personNotFoundView("There is no such staff member.")
    }
    const accounts = kind === "account" && id !== undefined ? yield* listVisibleAccounts(subAccounts) : undefined
    if (accounts === undefined) return personNotFoundView("There is no such person.")
    const subAccount = accounts.find((each) => each.id === id && each.role === "sub")
    return subAccount === undefined
      ? personNotFoundView("There is no such sub-account.")
      : accountView(visit, subAccount, yield* sudo.renderPasswordField(visit))
  })

const personNotFoundView = (message: string): HostView =>
  notFoundView("Team", message, html`<p>${link(PEOPLE_PATH, "Back to team")}</p>`)
