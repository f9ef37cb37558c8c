import { DATABASE_CONNECTIONS } from "../../../../src/platform/database/postgres.ts"

/** What the settings say of a server where nothing is said: its own sessions, as many as a process has by default. */
export const UNPOOLED_SETTINGS = {
  databasePrepared: true,
  databaseConnections: DATABASE_CONNECTIONS,
  databaseDirectUrl: undefined
} as const
