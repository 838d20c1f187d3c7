import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { load } from '../api/load.ts'
import {
  listChildren,
  listInvitations,
  listNotifications,
  listOrganisations,
  listOwnApps,
  listOwnBrowsers,
  listPasskeys,
  readAnnouncement,
  readChildFriends,
  readNotificationSettings,
  readOwnFriends,
  readSettings,
  readSkills,
} from '../api/operations.ts'
import { query } from '../api/query.ts'
import { signedIn } from '../parts/base-routes.ts'
import { known, matching, oneOf } from '../parts/search.ts'

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  loader: () =>
    load(
      { settings: query(readSettings, {}) },
      {
        apps: query(listOwnApps, {}),
        browsers: query(listOwnBrowsers, {}),
        passkeys: query(listPasskeys, {}),
        friends: query(readOwnFriends, {}),
        invitations: query(listInvitations, {}),
      },
    ),
})

const profile = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/profile',
  component: lazyRouteComponent(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
  loader: () => load({ settings: query(readSettings, {}), skills: query(readSkills, {}) }),
})

const security = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/security',
  component: lazyRouteComponent(() => import('./security/security-page.tsx'), 'SecurityPage'),
  loader: () =>
    load({
      settings: query(readSettings, {}),
      passkeys: query(listPasskeys, {}),
      browsers: query(listOwnBrowsers, {}),
      apps: query(listOwnApps, {}),
    }),
})

const LISTS = ['received', 'sent', 'blocked'] as const
/** Reads from the URL which list is shown; undefined shows the list of friends. */
const listFrom = (search: Record<string, unknown>): { list?: (typeof LISTS)[number] } =>
  known({ list: oneOf(LISTS, search.list) })

const friends = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/friends',
  component: lazyRouteComponent(() => import('./friends/friends-page.tsx'), 'FriendsPage'),
  validateSearch: listFrom,
  loader: () => load({ lists: query(readOwnFriends, {}), settings: query(readSettings, {}) }),
})

const children = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/children',
  component: lazyRouteComponent(() => import('./children/children-page.tsx'), 'ChildrenPage'),
  loader: () => load({ children: query(listChildren, {}), settings: query(readSettings, {}) }),
})

/** The frame of a child's pages: the name and the tabs. */
const childFrame = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/children/$handle',
  component: lazyRouteComponent(() => import('./children/child-frame.tsx'), 'ChildFrame'),
  loader: () => load({ children: query(listChildren, {}) }),
})

const child = createRoute({
  getParentRoute: () => childFrame,
  path: '/',
  component: lazyRouteComponent(() => import('./children/child-page.tsx'), 'ChildPage'),
  loader: () => load({ settings: query(readSettings, {}), invitations: query(listInvitations, {}) }),
})

const childFriends = createRoute({
  getParentRoute: () => childFrame,
  path: 'friends',
  component: lazyRouteComponent(() => import('./children/child-friends-page.tsx'), 'ChildFriendsPage'),
  validateSearch: listFrom,
  loader: ({ params: { handle } }) => load({ lists: query(readChildFriends, { handle }) }),
})

const invitations = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/invitations',
  component: lazyRouteComponent(() => import('./invitations/invitations-page.tsx'), 'InvitationsPage'),
  loader: () =>
    load({ invitations: query(listInvitations, {}), organisations: query(listOrganisations, { limit: 100 }) }),
})

const notifications = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/notifications',
  component: lazyRouteComponent(() => import('./notifications/notifications-page.tsx'), 'NotificationsPage'),
  validateSearch: (search: Record<string, unknown>): { cursor?: string } =>
    known({ cursor: matching(/^\d{1,15}$/, search.cursor) }),
  loaderDeps: ({ search: { cursor } }) => ({ ...(cursor !== undefined && { cursor }) }),
  loader: ({ deps }) =>
    load(
      { settings: query(readNotificationSettings, {}) },
      { notifications: query(listNotifications, { limit: 20, ...deps }) },
    ),
})

const announcement = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/announcements/$announcementId',
  component: lazyRouteComponent(() => import('./announcements/announcement-page.tsx'), 'AnnouncementPage'),
  loader: ({ params }) => load({ announcement: query(readAnnouncement, params) }),
})

const data = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/data',
  component: lazyRouteComponent(() => import('./data/data-page.tsx'), 'DataPage'),
  loader: () => load({ settings: query(readSettings, {}) }),
})

export const accountRoutes = [
  overview,
  profile,
  security,
  friends,
  children,
  childFrame.addChildren([child, childFriends]),
  invitations,
  notifications,
  announcement,
  data,
] as const
