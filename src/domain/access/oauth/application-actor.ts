import { Effect } from "effect"
import { CurrentActor } from "../../../contract/actor.ts"

/** Who an application acts for, and by which name the host knows it. */
interface ApplicationActor {
  readonly accountId: number
  readonly name: string
}

/** What is changed within is in the trail under the application, for the account that gave it access. */
export const runAsApplication = ({ accountId, name }: ApplicationActor) =>
  Effect.updateService(CurrentActor, (actor) => ({ ...actor, accountId, application: name }))
