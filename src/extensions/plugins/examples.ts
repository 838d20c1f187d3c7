import { CLIENT_SECRET, DONE, MOMENT } from '../../kernel/samples.ts'

const as = 'ellis' as const
const clientId = 'gs-weather-helper'
const named = { clientId }
const request = 'http://localhost:4102/request'
const redirectUris = ['http://localhost:4102/callback']
const address = { purpose: 'request', uri: request, failingSince: null, offDate: null, offReason: null }
const asked = { permission: 'ato', askedDate: MOMENT, grantedDate: null }
const PENDING = {
  clientId,
  kind: 'ato',
  name: 'Weather helper',
  description: 'Authorises weather apps',
  organisation: 'sandhills',
  organisationName: 'Sandhills Aviation School',
  owner: '@ellis',
  status: 'pending',
  active: false,
  addresses: [address],
  redirectUris,
  permissions: [asked],
  organisations: [],
  secrets: [{ createdDate: MOMENT, lastUsedDate: null }],
  createdDate: MOMENT,
}
const GRANTED = { ...PENDING, status: 'approved', permissions: [{ ...asked, grantedDate: MOMENT }] }
const SECRET = { createdDate: MOMENT, lastUsedDate: null }

/** What people read about these operations. */
export const examples = {
  registerPlugin: {
    description:
      'Owners and developers of an organisation register plugins for it. A new plugin has no permissions: an administrator grants what it asks for, then it can be activated. The client secret is shown only once.',
    example: {
      request: {
        key: 'weather-helper',
        kind: 'ato',
        name: 'Weather helper',
        description: 'Authorises weather apps',
        organisation: 'sandhills',
        addresses: { request },
        redirectUris,
        permissions: ['ato'],
      },
      answer: { ...PENDING, clientSecret: CLIENT_SECRET },
      as,
    },
  },
  changePlugin: {
    description:
      'Changes the fields that are sent; the rest stays. Setting an address turns it back on. New permissions wait for an administrator; those that are left out are lost.',
    example: {
      request: { ...named, description: 'Authorises apps about the weather' },
      answer: { ...PENDING, description: 'Authorises apps about the weather' },
      as,
      after: 'registerPlugin',
    },
  },
  readPlugin: {
    description:
      'Everything about a plugin except its secrets, which are listed with their creation and last use. A failing address says since when.',
    example: { request: named, answer: PENDING, as, after: 'registerPlugin' },
  },
  listPlugins: {
    description: 'The plugins that the caller works on, by name. Administrators see all of them.',
    example: {
      request: { organisation: 'sandhills' },
      answer: { docs: [PENDING], total: 1, limit: 10, page: 1, pages: 1 },
      as,
      after: 'registerPlugin',
    },
  },
  activatePlugin: {
    description:
      'An active plugin can call the platform, and is called by it; people can sign in to an inactive one too, unless it is suspended. To be activated, an ATO plugin needs the permission ato, a request address and a redirect URI; an AI plugin needs any permission.',
    example: {
      request: { ...named, active: true },
      answer: { ...GRANTED, active: true },
      as,
      after: 'grantPluginPermissions',
    },
  },
  removePlugin: {
    description: 'Its secrets, requests, deliveries and ids of people are deleted too. This cannot be undone.',
    example: { request: named, answer: DONE, as, after: 'registerPlugin' },
  },
  addPluginSecret: {
    description:
      'The new secret is shown only once. Both work until the old one is dropped. Until then the platform sends the older one, and signs with both.',
    example: { request: named, answer: { clientSecret: CLIENT_SECRET }, as, after: 'registerPlugin' },
  },
  dropOldPluginSecret: {
    description: 'Only the newest secret keeps working. From then on the platform sends that one.',
    example: { request: named, answer: { ...PENDING, secrets: [SECRET] }, as, after: 'addPluginSecret' },
  },
  grantPluginPermissions: {
    description:
      'Listed permissions are granted; all others are revoked at once. Only what the plugin has asked for can be granted. The first grant approves the plugin.',
    example: { request: { ...named, permissions: ['ato'] }, answer: GRANTED, as, after: 'registerPlugin' },
  },
  giveOrganisationToPlugin: {
    description:
      'A plugin sees only people of the organisations that it was given. Owners of the organisation and administrators decide.',
    example: {
      request: { ...named, organisation: 'sandhills', given: true },
      answer: DONE,
      as,
      after: 'registerPlugin',
    },
  },
}
