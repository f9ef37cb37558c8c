import { Layer } from "effect"
import { SubAccounts } from "./console/SubAccounts.ts"
import { DeliveryLog } from "./deliveries/DeliveryLog.ts"
import { TestEvents } from "./deliveries/TestEvents.ts"
import { layerDesk } from "./desk/layer.ts"
import { AccessTokens } from "./operators/AccessTokens.ts"
import { Operators } from "./operators/Operators.ts"
import { HostRules } from "./resources/automation/rules/HostRules.ts"
import { HostLetting } from "./resources/availability/HostLetting.ts"
import { CheckInApproval } from "./resources/check-in/CheckInApproval.ts"
import { HostCalendars } from "./resources/imported-calendars/HostCalendars.ts"
import { KnowledgeAnswers } from "./resources/knowledge-bases/search/KnowledgeAnswers.ts"
import { Listings } from "./resources/listings/Listings.ts"
import { PropertyFeeds } from "./resources/property-feeds/PropertyFeeds.ts"
import { OwnDictionaries } from "./resources/transactions/OwnDictionaries.ts"
import { HostWebhooks } from "./resources/webhooks/HostWebhooks.ts"

/**
 * What the pages of the console work with beside the Service: what the process, the tests and the bench all run. Who is signed in,
 * what hosts gave to applications, the database and the way out are left to whoever assembles it.
 */
export const layerConsoleAssembly = Layer.mergeAll(
  layerDesk,
  Operators.layer,
  AccessTokens.layer,
  CheckInApproval.layer,
  Layer.provideMerge(HostWebhooks.layer, DeliveryLog.layer),
  TestEvents.layer,
  HostCalendars.layer,
  Listings.layer,
  PropertyFeeds.layer,
  HostLetting.layer,
  OwnDictionaries.layer,
  SubAccounts.layer,
  HostRules.layer,
  KnowledgeAnswers.layer
)
