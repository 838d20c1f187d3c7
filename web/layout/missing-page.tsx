import { Button } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/states.tsx'
import { words } from '../words/words.ts'

export const MissingPage = () => (
  <>
    <PageHead title={words.states.missingTitle} lead={words.states.missingText} />
    <Button component={Link} to="/" variant="default" leftSection={<Compass size={16} aria-hidden />}>
      {words.states.missingHome}
    </Button>
  </>
)

/** A page that fell over. */
export const BrokenPage = ({ error }: ErrorComponentProps) => (
  <Problem error={error as Error} onRetry={() => location.reload()} />
)
