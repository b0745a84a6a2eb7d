#!/usr/bin/env Rscript
# Time JAGS on the posterior of an F-measure, and check the means it finds by quadrature.
#
#   theta ~ Dirichlet(1/4, 1/4, 1/4, 1/4)
#   mu_d ~ Dirichlet(theta), counts_d ~ Multinomial(N_d, mu_d) for documents d = 1 .. T
#   F = 2 TP / (2 TP + FP + FN) of theta, whose categories are TP, FP, TN and FN, in this order.
#
# README.md beside this file says how to install what it needs and how to run it.

suppressPackageStartupMessages(library(rjags))

DECISIONS <- 25      # in every document
ADAPTATION <- 1000   # draws in which JAGS tunes its samplers
BURN_IN <- 4000      # draws dropped before the timed ones
EFFECTIVE <- 1000    # effective draws wanted of a timed run ...
LONGEST <- 60        # ... unless they take more seconds than this

arguments <- function() {
  options <- list(fiesta = "", data = "target/peers/f-measure", documents = "5,20,100,400",
                  seconds = "5", `repeat` = "3", seed = "1")
  given <- commandArgs(trailingOnly = TRUE)
  flags <- given[seq_along(given) %% 2 == 1]
  if (length(given) %% 2 == 1 || !all(flags %in% paste0("--", names(options)))) {
    message("usage: jags.R ", paste0("[--", names(options), " VALUE]", collapse = " "))
    quit(status = 2)
  }
  options[sub("--", "", flags)] <- given[seq_along(given) %% 2 == 0]
  options$documents <- as.integer(strsplit(options$documents, ",")[[1]])
  for (name in c("seconds", "repeat", "seed")) options[[name]] <- as.numeric(options[[name]])
  options
}

# The first `count` documents of the sequence that the seed fixes.
documents <- function(count, seed) {
  RNGkind("Mersenne-Twister", "Inversion", "Rejection")
  set.seed(seed)
  counts <- t(vapply(seq_len(count), function(d) {
    gammas <- rgamma(4, c(.3, .2, .3, .2))
    rmultinom(1, DECISIONS, gammas / sum(gammas))[, 1]
  }, integer(4)))
  # Shares of a category that never occurs underflow to zero, where JAGS fails.
  if (any(colSums(counts) == 0)) stop("a category never occurs: take another --seed")
  colnames(counts) <- c("tp", "fp", "tn", "fn")
  counts
}

# ---- The formulations -------------------------------------------------------------------------

DIRICHLET <- "theta ~ ddirch(prior)"

# The same prior from independent variables: the share that is right, then either part halved.
BETAS <- "
  b[1] ~ dbeta(prior[1] + prior[3], prior[2] + prior[4])
  b[2] ~ dbeta(prior[1], prior[3])
  b[3] ~ dbeta(prior[2], prior[4])
  theta[1] <- b[1] * b[2]
  theta[2] <- (1 - b[1]) * b[3]
  theta[3] <- b[1] * (1 - b[2])
  theta[4] <- (1 - b[1]) * (1 - b[3])"

LATENT <- list(
  model = "
    for (d in 1:T) {
      mu[d, 1:4] ~ ddirch(theta)
      c[d, 1:4] ~ dmulti(mu[d, 1:4], N[d])
    }",
  data = function(counts) list(c = counts, T = nrow(counts), N = rowSums(counts))
)

# With mu integrated out the likelihood is the product of gamma(c + theta) / gamma(theta) over the
# documents and categories. So it is for negative binomial counts: their sizes sum to a constant.
NEGATIVE_BINOMIAL <- list(
  model = "for (d in 1:T) { for (j in 1:4) { c[d, j] ~ dnegbin(0.5, theta[j]) } }",
  data = function(counts) list(c = counts, T = nrow(counts))
)

# The zeros trick: a Poisson variable of mean bound - l that is zero adds l to the log likelihood.
ZEROS <- list(
  model = "
    for (d in 1:T) {
      for (j in 1:4) { l[d, j] <- loggam(c[d, j] + theta[j]) - loggam(theta[j]) }
      zero[d] ~ dpois(bound[d] - sum(l[d, ]))
    }",
  data = function(counts) {
    list(c = counts, T = nrow(counts), zero = rep(0, nrow(counts)),
         bound = rowSums(lgamma(counts + 1)) + 1)
  }
)

# The same, summed over documents beforehand: gamma(c + theta) / gamma(theta) is the product of
# theta + i for i from 0 to c - 1, and above[j, i + 1] documents count more than i in category j.
SUMMED <- list(
  model = "for (j in 1:4) { zero[j] ~ dpois(bound[j] - inprod(above[j, ], log(theta[j] + i))) }",
  data = function(counts) {
    i <- seq_len(max(counts)) - 1
    above <- vapply(i, function(i) colSums(counts > i), numeric(4))
    list(above = above, i = i, zero = rep(0, 4), bound = drop(above %*% log(i + 1)) + 1)
  }
)

FORMULATIONS <- list(
  "latent" = list(prior = DIRICHLET, likelihood = LATENT),
  "negative binomial" = list(prior = DIRICHLET, likelihood = NEGATIVE_BINOMIAL),
  "zeros" = list(prior = DIRICHLET, likelihood = ZEROS),
  "zeros, summed" = list(prior = DIRICHLET, likelihood = SUMMED),
  "zeros, summed, betas" = list(prior = BETAS, likelihood = SUMMED)
)

# ---- Timing and checking ----------------------------------------------------------------------

# A row: draws, their seconds (elapsed and of the processor), effective draws, and F's mean and sd.
time_jags <- function(formulation, counts, seed, seconds) {
  text <- paste("model {", formulation$prior, formulation$likelihood$model,
                "F <- 2 * theta[1] / (2 * theta[1] + theta[2] + theta[4])", "}", sep = "\n")
  data <- c(formulation$likelihood$data(counts), list(prior = rep(1 / 4, 4)))
  start <- list(.RNG.name = "base::Mersenne-Twister", .RNG.seed = seed)
  model <- jags.model(textConnection(text), data, start, n.adapt = ADAPTATION, quiet = TRUE)
  draw <- function(count) {
    clock <- system.time(drawn <- coda.samples(model, "F", count, progress.bar = "none")[[1]][, 1])
    data.frame(draws = count, elapsed = clock[["elapsed"]],
               cpu = clock[["user.self"]] + clock[["sys.self"]],
               effective = effectiveSize(drawn)[[1]], mean = mean(drawn), sd = sd(drawn))
  }
  pilot <- draw(BURN_IN)
  needed <- 1.3 * EFFECTIVE * pilot$elapsed / pilot$effective
  draw(ceiling(BURN_IN * min(max(seconds, needed), LONGEST) / pilot$elapsed))
}

time_fiesta <- function(binary, file, seed) {
  output <- system2(binary, c(shQuote(file), "--seed", seed), stdout = TRUE)
  if (!is.null(attr(output, "status"))) stop(binary, " failed")
  field <- function(name) {
    pattern <- sprintf('.*"%s" *: *([-+.0-9eE]+).*', name)
    as.numeric(sub(pattern, "\\1", paste(output, collapse = " ")))
  }
  data.frame(draws = field("draws"), elapsed = field("seconds"), cpu = field("seconds"),
             effective = field("effective_draws"), mean = field("mean"), sd = field("sd"))
}

# The mean of F by the trapezoidal rule in the log odds of the variables of BETAS, where the density
# is smooth and falls off on all sides; its error is what the rule of twice the step differs by.
quadrature <- function(counts) {
  seen <- lapply(1:4, function(j) rle(sort(counts[counts[, j] > 0, j])))
  evaluate <- function(u) { # at every row of u
    right <- plogis(u)
    wrong <- plogis(-u)
    theta <- cbind(right[, 1] * right[, 2], wrong[, 1] * right[, 3],
                   right[, 1] * wrong[, 2], wrong[, 1] * wrong[, 3])
    # The prior has theta^(1/4 - 1), and the change of variables gives the product of theta.
    log_density <- rowSums(log(theta)) / 4
    for (j in 1:4) {
      for (k in seq_along(seen[[j]]$values)) {
        each <- lgamma(seen[[j]]$values[k] + theta[, j]) - lgamma(theta[, j])
        log_density <- log_density + seen[[j]]$lengths[k] * each
      }
    }
    list(log_density = log_density, F = 2 * theta[, 1] / (2 * theta[, 1] + theta[, 2] + theta[, 4]))
  }
  minus <- function(u) -evaluate(matrix(u, 1))$log_density
  peak <- optim(c(0, 0, 0), minus, method = "BFGS", hessian = TRUE)
  scale <- sqrt(diag(solve(peak$hessian)))
  steps <- -36:36 # of half a standard deviation at the peak
  grid <- as.matrix(expand.grid(steps, steps, steps))
  at <- evaluate(sweep(sweep(grid / 2, 2, scale, "*"), 2, peak$par, "+"))
  weight <- exp(at$log_density + peak$value)
  mean_of <- function(rows) sum(weight[rows] * at$F[rows]) / sum(weight[rows])
  mean <- mean_of(TRUE)
  list(mean = mean, error = abs(mean - mean_of(rowSums(grid %% 2) == 0)))
}

# ---- The report -------------------------------------------------------------------------------

readable <- function(x, digits = 3) {
  format(signif(x, digits), big.mark = ",", scientific = FALSE, drop0trailing = TRUE, trim = TRUE)
}

row <- function(...) cat("|", paste(c(...), collapse = " | "), "|\n")

main <- function() {
  args <- arguments()
  dir.create(args$data, recursive = TRUE, showWarnings = FALSE)
  cat(sprintf("JAGS %s, rjags %s, coda %s, %s; %s\n\n", jags.version(), packageVersion("rjags"),
              packageVersion("coda"), R.version.string, trimws(system("uptime", intern = TRUE))))
  row("T", "program", "draws/s", "effective draws (fewest)", "effective draws/s, each repetition",
      "mean of F", "by quadrature", "furthest, in standard errors")
  row("--:", ":--", "--:", "--:", "--:", "--:", "--:", "--:")
  agrees <- TRUE
  medians <- list()
  for (count in args$documents) {
    counts <- documents(count, args$seed)
    file <- file.path(args$data, sprintf("documents-%d.csv", count))
    labels <- data.frame(arm = "system", document = seq_len(count))
    write.csv(cbind(labels, counts), file, row.names = FALSE, quote = FALSE)
    exact <- quadrature(counts)

    for (program in c(names(FORMULATIONS), if (args$fiesta != "") "fiesta")) {
      runs <- do.call(rbind, lapply(seq_len(args$`repeat`), function(repetition) {
        if (program == "fiesta") {
          time_fiesta(args$fiesta, file, repetition)
        } else {
          time_jags(FORMULATIONS[[program]], counts, repetition, args$seconds)
        }
      }))
      rates <- runs$effective / runs$cpu
      off <- (abs(runs$mean - exact$mean) - exact$error) / (runs$sd / sqrt(runs$effective))
      agrees <- agrees && all(off <= 5)
      medians[[paste(count, program)]] <- median(rates)
      row(count, program, readable(median(runs$draws / runs$cpu)), readable(min(runs$effective)),
          paste(readable(rates), collapse = " / "), sprintf("%.5f", mean(runs$mean)),
          sprintf("%.5f", exact$mean), sprintf("%.1f", max(off)))
    }
  }

  if (args$fiesta != "") {
    cat("\nEffective draws/s, medians:\n\n")
    row("T", "JAGS, latent", "JAGS, integrated (fastest)", "ours", "ours / latent",
        "ours / integrated", "formulation of the fastest")
    row("--:", "--:", "--:", "--:", "--:", "--:", ":--")
    integrated <- setdiff(names(FORMULATIONS), "latent")
    for (count in args$documents) {
      rate <- function(programs) unlist(medians[paste(count, programs)])
      fastest <- max(rate(integrated))
      row(count, readable(c(rate("latent"), fastest, rate("fiesta"), rate("fiesta") / rate("latent"),
                            rate("fiesta") / fastest)), integrated[which.max(rate(integrated))])
    }
  }
  cat(sprintf("\nQuadrature check: %s. %s\n",
              if (agrees) "every mean agrees" else "A MEAN DISAGREES by more than 5 standard errors",
              trimws(system("uptime", intern = TRUE))))
  if (agrees) 0 else 1
}

quit(status = main())
