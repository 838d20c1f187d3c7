/** A page of the documentation that is made from a Markdown file. */
export interface SitePage {
  /** The address below `/docs/`. */
  readonly key: string
  /** Its name in menus and links, and its heading. */
  readonly name: string
  /** The Markdown file, from the root of the repository. */
  readonly file: string
  /** One line for lists of pages and for `/llms.txt`. */
  readonly about: string
}

export interface GuideGroup {
  readonly title: string
  readonly pages: readonly SitePage[]
}

const guide = (id: string, name: string, about: string, file = `docs/${id}.md`): SitePage => ({
  key: `guides/${id}`,
  name,
  file,
  about,
})

/**
 * The guides, in the order of the menu. Only files that are listed here are served. Documents for people who work on
 * the platform itself are not: designs, decisions, benchmarks.
 */
export const GUIDES: readonly GuideGroup[] = [
  {
    title: 'Get started',
    pages: [
      guide(
        'quick-start',
        'Quick start',
        'Install the platform and try its main features in five minutes.',
        'README.md',
      ),
      guide('how-to-sign-in', 'Sign-in', 'Sign users in with curl, an OAuth library or a device code.'),
      guide('contract', 'API conventions', 'Requests, responses, paging, limits and the rules of every area.'),
      guide('access', 'Access', 'Which callers, roles and permissions each operation requires.'),
    ],
  },
  {
    title: 'Build an app',
    pages: [
      guide('people', 'People', 'Read profiles, search for people, manage friends and children.'),
      guide('buckets', 'Buckets', 'Store JSON documents that users share, and watch them change.'),
      guide('learning', 'Lessons and progress', 'Launch lessons, report progress and read results.'),
      guide('notes', 'Notes', 'Create, read and delete notes about students and lessons.'),
      guide('xapi', 'xAPI statements', 'Send statements to the record store and query them.'),
      guide('events', 'Events', 'Watch buckets and classes with server-sent events.'),
      guide('planner', 'Mission planner', 'Search for people who can take on a mission, and save plans.'),
    ],
  },
  {
    title: 'Extend',
    pages: [
      guide('plugins', 'Plugins', 'Register a plugin, verify calls, assert badges and answer searches.'),
      guide('sdk', 'SDK', 'The TypeScript client for plugin authors.', 'sdk/README.md'),
    ],
  },
  {
    title: 'Run',
    pages: [
      guide('deploy', 'Deployment', 'Databases, containers, proxies and monitoring.', 'deploy/README.md'),
      guide('configuration', 'Configuration', 'Every setting with its default.'),
      guide(
        'own-provider',
        'Sign-in provider',
        'Let people sign in with Entra ID, Google, Keycloak, Okta or another provider.',
      ),
      guide('packages', 'Content packages', 'What can be uploaded, what is refused, and how packages are hosted.'),
      guide('import', 'Import', 'Import people, apps, courses, classes and records.'),
      guide('fleet', 'Fleet', 'Run the platform on several machines, of which any can fail.'),
      guide('backups', 'Backups', 'Create, schedule and restore backups.'),
      guide('upgrade', 'Upgrades', 'Install a new version, or return to the previous one.'),
      guide('trouble', 'Troubleshooting', 'Find the cause when something does not work.'),
      guide('your-data', 'Personal data', 'What is stored about people, how they download it and delete it.'),
    ],
  },
]

export const ERRORS_PAGE: SitePage = {
  key: 'errors',
  name: 'Errors',
  file: 'docs/errors.md',
  about: 'Every error code: its HTTP status, its meaning and what to do.',
}

export const CHANGELOG_PAGE: SitePage = {
  key: 'changelog',
  name: 'Changelog',
  file: 'CHANGELOG.md',
  about: 'What is new in each version.',
}

/** All pages that are made from Markdown files. */
export const SITE_PAGES: readonly SitePage[] = [...GUIDES.flatMap(({ pages }) => pages), ERRORS_PAGE, CHANGELOG_PAGE]

/** Returns the address of a page. */
export const pathOf = ({ key }: SitePage): string => `/docs/${key}`

/** The address of what the search looks through. */
export const SECTIONS_PATH = '/docs/guides/sections'
