import { Button, Group } from '@mantine/core'
import { type ErrorComponentProps, Link, useRouterState } from '@tanstack/react-router'
import { useHere } from '../../api/here.ts'
import { Compass } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/states.tsx'
import { appWords } from '../words.ts'
import { AREAS } from './areas.ts'

/** The page for unknown paths. If the path is inside an area, it links to the first page of that area. */
export function MissingPage() {
  const { person } = useHere()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const own = AREAS.filter(({ id }) => person && (id === 'account' || person.areas.some((area) => area === id)))
  const area = own.find(({ id }) => path.startsWith(`/${id}/`))
  return (
    <>
      <PageHead title={appWords.missing.title} lead={appWords.missing.text} />
      <Group gap="sm">
        {area && (
          <Button component={Link} to={area.pages[0].to} leftSection={<area.icon size={16} aria-hidden />}>
            {appWords.missing.area(area.label)}
          </Button>
        )}
        <Button component={Link} to="/" variant="default" leftSection={<Compass size={16} aria-hidden />}>
          {appWords.missing.home}
        </Button>
      </Group>
    </>
  )
}

/** The page that is shown if another page throws an error. */
export const BrokenPage = ({ error }: ErrorComponentProps) => (
  <Problem error={error as Error} onRetry={() => location.reload()} />
)
