import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

// Where something about a guest is written. Each table's owner says it beside its own statements, and src/guests gathers them:
// one list, for what is handed out and for what goes.

/** What of an operator is about one guest: orders, their stays, and conversations. */
export interface Party {
  readonly operatorId: number
  readonly orderIds: ReadonlyArray<number>
  readonly stayIds: ReadonlyArray<number>
  readonly conversationIds: ReadonlyArray<number>
  /** The codes of these orders and conversations. */
  readonly codes: ReadonlyArray<string>
}

export interface GuestPlace {
  readonly table: string
  /** The column by which its rows are told apart within an operator, and are in order. */
  readonly key: string
  /** Which of its rows, as `t`, are about the party. */
  readonly about: (sql: SqlClient, party: Party) => Fragment
  /** Columns that are nobody's to have: an address that is opened by whoever knows it. */
  readonly secret?: ReadonlyArray<string>
  /** Statements that leave nothing of the guest in it, as often as they are run; in order, within one transaction. */
  readonly erasing: (sql: SqlClient, party: Party, now: Date) => ReadonlyArray<Fragment>
}
