import { Effect } from "effect"
import { Acting } from "../../../contract/acting.ts"

/** Who an application acts for, and by which name the host knows it. */
export interface ActingClient {
  readonly accountId: number
  readonly name: string
}

/** What is changed within is in the trail under the application, for the account that gave it access. */
export const actingAs = ({ accountId, name }: ActingClient) =>
  Effect.updateService(Acting, (actor) => ({ ...actor, accountId, application: name }))
