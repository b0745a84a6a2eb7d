# Fits one model to cars of 1974 and prints how far off its predictions are: Rscript evaluate.R MODEL SPLIT
#
# The error is that of a ten-fold cross-validation of `mtcars`, R's own table: fuel consumption from ten other measurements.
# SPLIT is which division into folds; every model gets the same one for the same number.

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) stop("usage: Rscript evaluate.R MODEL SPLIT")
split <- as.integer(as.numeric(arguments[2]) %% 2^31)

# Each takes the cars to learn from and those to judge by, and predicts the latter's consumption.
models <- list(
  mean      = function(train, test) rep(mean(train$mpg), nrow(test)),
  weight    = function(train, test) predict(lm(mpg ~ wt, train), test),
  curve     = function(train, test) predict(lm(mpg ~ poly(wt, 2), train), test),
  three     = function(train, test) predict(lm(mpg ~ wt + qsec + am, train), test),
  all       = function(train, test) predict(lm(mpg ~ ., train), test),
  stepwise  = function(train, test) predict(step(lm(mpg ~ ., train), trace = 0), test),
  log       = function(train, test) exp(predict(lm(log(mpg) ~ log(wt) + log(hp), train), test)),
  smooth    = function(train, test) predict(smooth.spline(train$wt, train$mpg, df = 3), test$wt)$y,
  projected = function(train, test) predict(ppr(mpg ~ wt + hp + qsec, data = train, nterms = 1), test)
)
model <- models[[arguments[1]]]
if (is.null(model)) stop("there is no model ", arguments[1], "; there are ", toString(names(models)))

set.seed(split)
fold <- sample(rep(1:10, length.out = nrow(mtcars)))
predicted <- numeric(nrow(mtcars))
for (k in 1:10) predicted[fold == k] <- model(mtcars[fold != k, ], mtcars[fold == k, ])
cat(sprintf("{\"rmse\": %.6f}\n", sqrt(mean((predicted - mtcars$mpg)^2))))
